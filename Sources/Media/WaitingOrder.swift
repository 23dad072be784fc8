/// The order of waiting callers: urgent ones first, the others as they came.
struct WaitingOrder {
  /// A place in the order.
  struct Ticket: Hashable {
    fileprivate let number: UInt64
  }

  private var last: UInt64 = 0
  private var urgent: [Ticket] = []
  private var others: [Ticket] = []

  /// The number of waiting callers.
  var count: Int { urgent.count + others.count }

  /// The next caller.
  var first: Ticket? { urgent.first ?? others.first }

  /// Whether a new caller would be the first.
  func isFree(forUrgent isUrgent: Bool) -> Bool { isUrgent ? urgent.isEmpty : count == 0 }

  /// Adds a caller.
  mutating func enter(isUrgent: Bool) -> Ticket {
    last += 1
    let ticket = Ticket(number: last)
    if isUrgent { urgent.append(ticket) } else { others.append(ticket) }
    return ticket
  }

  /// Removes a caller.
  mutating func leave(_ ticket: Ticket) {
    urgent.removeAll { $0 == ticket }
    others.removeAll { $0 == ticket }
  }
}
