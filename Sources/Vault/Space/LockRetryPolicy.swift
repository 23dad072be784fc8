internal import Glibc
internal import System

/// How long opening a space waits for another process to release it.
///
/// A mount disappears before its process has written everything, because unmounting does not wait for that. The process
/// announces the end (`Space.announceEnd`) a moment later, so a process waits briefly even without an announcement. If
/// the space is still mounted after that, opening it is refused.
struct LockRetryPolicy {
  /// The wait without an announcement, in nanoseconds.
  private static let unannouncedLimit: UInt64 = 1_000_000_000
  /// The longest wait, in nanoseconds.
  private static let totalLimit: UInt64 = 10_000_000_000
  /// Microseconds between two attempts.
  private static let interval: UInt32 = 10_000

  /// Both on the monotonic clock, in nanoseconds; nil before the first wait.
  private var deadlines: (unannounced: UInt64, total: UInt64)?

  /// Waits before the next attempt; false when there should be no other attempt.
  ///
  /// - Parameter holderIsEnding: whether the lease's holder has announced its end.
  mutating func waitForNextAttempt(holderIsEnding: Bool) -> Bool {
    let now = monotonicTime()
    var deadlines = self.deadlines ?? (now + Self.unannouncedLimit, now + Self.totalLimit)
    // The announcement ends with the lease. Another process may take the lease next.
    if holderIsEnding { deadlines.unannounced = now + Self.unannouncedLimit }
    self.deadlines = deadlines
    guard now < min(deadlines.unannounced, deadlines.total) else { return false }
    usleep(Self.interval)
    return true
  }
}
