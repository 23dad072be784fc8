/// In which order those that wait get something: first those that somebody waits for, else as they came.
struct WaitingOrder {
  /// A place in the order.
  struct Ticket: Hashable {
    fileprivate let number: UInt64
  }

  private var last: UInt64 = 0
  private var urgent: [Ticket] = []
  private var others: [Ticket] = []

  /// How many wait.
  var count: Int { urgent.count + others.count }

  /// Who is next.
  var first: Ticket? { urgent.first ?? others.first }

  /// Whether one that comes now would be the first.
  func isFree(forUrgent isUrgent: Bool) -> Bool { isUrgent ? urgent.isEmpty : count == 0 }

  /// Puts another one into the order.
  mutating func enter(isUrgent: Bool) -> Ticket {
    last += 1
    let ticket = Ticket(number: last)
    if isUrgent { urgent.append(ticket) } else { others.append(ticket) }
    return ticket
  }

  /// Takes one out of it.
  mutating func leave(_ ticket: Ticket) {
    urgent.removeAll { $0 == ticket }
    others.removeAll { $0 == ticket }
  }
}
