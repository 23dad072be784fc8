// Invariants
// 1. Only the time of waiting for bytes counts. The client is not responsible for the time that storing them takes.

/// Measures how fast the body of a request arrives. Times are from one monotonic clock.
public struct BodyPace: Sendable {
  /// In each such period of waiting, at least `least` bytes must arrive.
  public static let time = Duration.seconds(30)
  /// The minimum in bytes.
  public static let least = 16 << 10

  private var waited = Duration.zero
  private var since: Duration?
  private var received = 0

  /// A measurement that does not wait yet.
  public init() {}

  /// Starts to wait for bytes.
  public mutating func waits(now: Duration) { since = since ?? now }

  /// Stops waiting.
  public mutating func rests(now: Duration) {
    if let since { waited += now - since }
    since = nil
  }

  /// Counts bytes that arrived.
  public mutating func comes(_ count: Int, now: Duration) {
    received += count
    guard received >= Self.least else { return }
    (received, waited) = (0, .zero)
    if since != nil { since = now }
  }

  /// The remaining time to wait, at least zero; nil if nothing is waited for.
  public func timeLeft(now: Duration) -> Duration? { since.map { max(.zero, Self.time - waited - (now - $0)) } }
}
