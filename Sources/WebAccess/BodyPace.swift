// Invariants
// 1. Only time counts in which bytes were waited for. How long they take to be stored is not up to who sends them.

/// How fast the body of a request comes. Times are those of one clock that never goes back.
public struct BodyPace: Sendable {
  /// In each such time of waiting, `least` bytes must come.
  public static let time = Duration.seconds(30)
  /// In bytes.
  public static let least = 16 << 10

  private var waited = Duration.zero
  private var since: Duration?
  private var received = 0

  /// Nothing is waited for at first.
  public init() {}

  /// More is waited for from now on.
  public mutating func waits(now: Duration) { since = since ?? now }

  /// Nothing is waited for any more.
  public mutating func rests(now: Duration) {
    if let since { waited += now - since }
    since = nil
  }

  /// Bytes have come.
  public mutating func comes(_ count: Int, now: Duration) {
    received += count
    guard received >= Self.least else { return }
    (received, waited) = (0, .zero)
    if since != nil { since = now }
  }

  /// How much longer there may be waited, zero at least; nil while nothing is waited for.
  public func timeLeft(now: Duration) -> Duration? { since.map { max(.zero, Self.time - waited - (now - $0)) } }
}
