// Invariants
// 1. One key derivation runs at a time, whoever asks. So the memory of the machine bounds it, not the number of requests.
// 2. Pairings are served in turn. Whatever one of them sends, another one waits for one derivation of each at most.
// 3. Wrong passwords are counted for each address of each pairing. After the first, the next derivation for it begins
//    1 s later, then 2, 4, … and 60 s at most, and the answer is held back as long. A right password does not clear the
//    count: who knows one password could clear it between guesses at another. Time does.
// 4. How long a wrong password took is not to be seen: the answer comes after whole steps of time. A password of a space
//    that is not shown takes a little longer to refuse than one of none.
// 5. A pairing has `mostAddresses` counts and one more, which all other addresses share. So fresh addresses are no way
//    around the delay, and memory is bounded.
// 6. No password is refused for good.

/// The passwords that wait to be tried. Times are those of one clock that never goes back.
public struct Tries: Sendable {
  /// One password that waits or is tried.
  public struct Ticket: Hashable, Sendable {
    let number: UInt64
    let pairing: Token
    let address: String
  }

  /// What is to be done next.
  public enum Step: Equatable, Sendable {
    /// This one is tried now, and then told to `finish`.
    case begin(Ticket)
    /// Nothing before this time, unless something changes.
    case wait(until: Duration)
    /// Nothing, unless something changes.
    case nothing
  }

  /// The most passwords that wait for one pairing.
  public static let mostWaiting = 16
  /// The most addresses that are counted apart for one pairing.
  public static let mostAddresses = 32
  /// The longest delay.
  public static let longestDelay = Duration.seconds(60)
  /// The answer to a wrong password comes whole steps after its derivation began, beside its delay.
  public static let step = Duration.seconds(2)
  /// After this time without a wrong password a count is forgotten.
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
  /// The pairings with something waiting; the first one's turn is next.
  private var turns: [Token] = []
  private var running: (ticket: Ticket, since: Duration)?
  private var lastNumber: UInt64 = 0
  /// The name of the count that addresses share; no address is empty.
  private static let shared = ""

  /// Nothing waits at first.
  public init() {}

  /// The number of counts of wrong passwords that are kept.
  public var countsKept: Int { lines.values.reduce(0) { $0 + $1.counts.count } }

  /// A password arrives. Nil if too many wait for this pairing already.
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

  /// Who sent a password does not wait for its answer any more. One that is tried already goes on.
  public mutating func leave(_ ticket: Ticket) {
    lines[ticket.pairing]?.waiting.removeAll { $0 == ticket }
    endTurnIfEmpty(ticket.pairing)
  }

  /// What is to be done now.
  public mutating func next(now: Duration) -> Step {
    guard running == nil else { return .nothing }
    var earliest: Duration?
    for (place, pairing) in turns.enumerated() {
      guard let line = lines[pairing] else { continue }
      for ticket in line.waiting {
        let notBefore = line.counts[name(ticket.address, in: line)]?.notBefore ?? .zero
        if notBefore <= now {
          lines[pairing]?.waiting.removeAll { $0 == ticket }
          // Its next one comes after one of each of the others.
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

  /// A password was tried.
  ///
  /// - Returns: how long the answer is to be held back.
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

  /// Forgets old counts, and pairings of which nothing else is known: they may be gone.
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

/// What counts as one sender.
enum AddressGroup {
  /// The network of an IPv6 address (the first 64 bits, of which a host may use all addresses), else the address.
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
