internal import Glibc
internal import System

/// How long somebody who opens a space waits until somebody else lets it go.
///
/// A mount ends before its process has written everything: unmounting does not wait for that. The process says so (`Space.announceEnd`), a
/// moment later, so without that word a short wait has to do; a space that stays mounted is refused after it.
struct LeasePatience {
  /// How long to wait for a word, in nanoseconds.
  private static let withoutWord: UInt64 = 1_000_000_000
  /// How long to wait in all, in nanoseconds.
  private static let inAll: UInt64 = 10_000_000_000
  /// Microseconds between two attempts.
  private static let interval: UInt32 = 10_000

  /// Both on the monotonic clock, in nanoseconds; nil before the first wait.
  private var limits: (soon: UInt64, last: UInt64)?

  /// Waits until another attempt is worth while; false when no more should be made.
  ///
  /// - Parameter isEnding: whether the lease's holder has announced its end.
  mutating func wait(isEnding: Bool) -> Bool {
    let now = monotonicTime()
    var limits = self.limits ?? (now + Self.withoutWord, now + Self.inAll)
    // What ends takes leases on new heads, and these without the word at first.
    if isEnding { limits.soon = now + Self.withoutWord }
    self.limits = limits
    guard now < min(limits.soon, limits.last) else { return false }
    usleep(Self.interval)
    return true
  }
}
