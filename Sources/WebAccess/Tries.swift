// Invariants
// 1. Only one key derivation runs at a time, for all clients. So its memory is bounded whatever the number of requests.
// 2. Pairings take turns. Whatever one of them sends, another one waits for at most one derivation of each.
// 3. Wrong passwords are counted for each address of each pairing. After the first, the next derivation for it begins 1
//    s later, then 2, 4, … and at most 60 s, and the answer is delayed as long. A right password does not clear the
//    count: with one known password it could be cleared between guesses at another. Only time clears it.
// 4. The time that a wrong password took is hidden: the answer comes after whole steps of time. Rejecting the password
//    of a space that is not shown takes a little longer than rejecting that of no space.
// 5. A pairing has `mostAddresses` counts and one more, which all other addresses share. So changing the address does
//    not avoid the delay, and memory is bounded.
// 6. No password is rejected for good.

/// The queue of passwords to check. Times are from one monotonic clock.
public struct Tries: Sendable {
  /// A password that is waiting or being checked.
  public struct Ticket: Hashable, Sendable {
    let number: UInt64
    let pairing: Token
    let address: String
  }

  /// The next step.
  public enum Step: Equatable, Sendable {
    /// Check this password now, then call `finish`.
    case begin(Ticket)
    /// Wait until this time, unless something changes.
    case wait(until: Duration)
    /// Wait until something changes.
    case nothing
  }

  /// The most waiting passwords of one pairing.
  public static let mostWaiting = 16
  /// The most addresses of one pairing that are counted separately.
  public static let mostAddresses = 32
  /// The longest delay.
  public static let longestDelay = Duration.seconds(60)
  /// Without its delay, the answer to a wrong password comes a multiple of this time after its derivation began.
  public static let step = Duration.seconds(2)
  /// The time without a wrong password after which a count is dropped.
  public static let memory = Duration.seconds(3600)

  private struct Count {
    var wrong = 0
    var notBefore = Duration.zero
    var forgottenAt = Duration.zero
  }

  private struct Line {
    var waiting: [Ticket] = []
    var counts: [String: Count] = [:]
  }

  private var lines: [Token: Line] = [:]
  /// The pairings with waiting passwords; it is the first one's turn.
  private var turns: [Token] = []
  private var running: (ticket: Ticket, since: Duration)?
  private var lastNumber: UInt64 = 0
  /// The key of the shared count; no address is empty.
  private static let shared = ""

  /// An empty queue.
  public init() {}

  /// The number of counts of wrong passwords.
  public var countsKept: Int { lines.values.reduce(0) { $0 + $1.counts.count } }

  /// Adds a password. Nil if too many are waiting for this pairing.
  public mutating func enter(_ pairing: Token, address: String, now: Duration) -> Ticket? {
    forgetOld(now)
    var line = lines[pairing] ?? Line()
    guard line.waiting.count < Self.mostWaiting else { return nil }
    lastNumber += 1
    let ticket = Ticket(number: lastNumber, pairing: pairing, address: address)
    line.waiting.append(ticket)
    lines[pairing] = line
    if !turns.contains(pairing) { turns.append(pairing) }
    return ticket
  }

  /// Removes a waiting password whose client is gone. A check that has begun continues.
  public mutating func leave(_ ticket: Ticket) {
    lines[ticket.pairing]?.waiting.removeAll { $0 == ticket }
    endTurnIfEmpty(ticket.pairing)
  }

  /// Determines the next step.
  public mutating func next(now: Duration) -> Step {
    guard running == nil else { return .nothing }
    var earliest: Duration?
    for (place, pairing) in turns.enumerated() {
      guard let line = lines[pairing] else { continue }
      for ticket in line.waiting {
        let notBefore = line.counts[name(ticket.address, in: line)]?.notBefore ?? .zero
        if notBefore <= now {
          lines[pairing]?.waiting.removeAll { $0 == ticket }
          // The pairing's next turn comes after one turn of each other pairing.
          turns.append(turns.remove(at: place))
          endTurnIfEmpty(pairing)
          running = (ticket, now)
          return .begin(ticket)
        }
        earliest = min(earliest ?? notBefore, notBefore)
      }
    }
    return earliest.map { .wait(until: $0) } ?? .nothing
  }

  /// Records the result of a check.
  ///
  /// - Returns: How long the answer has to be delayed.
  public mutating func finish(_ ticket: Ticket, wasWrong: Bool, now: Duration) -> Duration {
    let took = running?.ticket == ticket ? now - (running?.since ?? now) : .zero
    if running?.ticket == ticket { running = nil }
    guard wasWrong else { return .zero }
    var line = lines[ticket.pairing] ?? Line()
    let name = name(ticket.address, in: line)
    var count = line.counts[name] ?? Count()
    var shown = Duration.zero
    while shown < took { shown += Self.step }
    let delay = min(Self.longestDelay, .seconds(1 << min(count.wrong, 6))) + shown - took
    count.wrong += 1
    count.notBefore = now + delay
    count.forgottenAt = now + Self.memory
    line.counts[name] = count
    lines[ticket.pairing] = line
    return delay
  }

  /// Drops old counts, and pairings without counts and passwords, which may not exist any more.
  private mutating func forgetOld(_ now: Duration) {
    for pairing in lines.keys {
      let kept = lines[pairing]?.counts.filter { $0.value.forgottenAt > now }
      lines[pairing]?.counts = kept ?? [:]
      endTurnIfEmpty(pairing)
    }
  }

  private func name(_ address: String, in line: Line) -> String {
    let network = AddressGroup.name(of: address)
    if line.counts[network] != nil { return network }
    let own = line.counts.count - (line.counts[Self.shared] == nil ? 0 : 1)
    return own < Self.mostAddresses ? network : Self.shared
  }

  private mutating func endTurnIfEmpty(_ pairing: Token) {
    guard let line = lines[pairing], line.waiting.isEmpty else { return }
    turns.removeAll { $0 == pairing }
    if line.counts.isEmpty, running?.ticket.pairing != pairing { lines[pairing] = nil }
  }
}

/// The addresses that count as one sender.
enum AddressGroup {
  /// The network of an IPv6 address (its first 64 bits, since a host may use all addresses in it), or an IPv4 address.
  static func name(of address: String) -> String {
    guard address.contains(":") else { return address }
    if address.lowercased().hasPrefix("::ffff:") { return address.lowercased() }
    let plain = address.prefix { $0 != "%" }
    let halves = plain.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
    var words = halves[0].split(separator: ":").map(String.init)
    if halves.count == 2 {
      let tail = halves[1].split(separator: ":").map(String.init)
      words += Array(repeating: "0", count: max(0, 8 - words.count - tail.count)) + tail
    }
    return words.prefix(4).joined(separator: ":").lowercased() + "::/64"
  }
}
