internal import System

/// A moment, in seconds and nanoseconds since 1970.
package struct Timestamp: Hashable, Comparable, Sendable {
  /// Whole seconds since 1970, UTC; negative before.
  package var seconds: Int64
  /// Nanoseconds after `seconds`, below 1,000,000,000.
  package var nanoseconds: UInt32

  /// Sets both parts.
  @inlinable package init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// The current time of the system's clock.
  package static func now() -> Timestamp {
    let time = timeOfDay()
    return Timestamp(seconds: time.seconds, nanoseconds: time.nanoseconds)
  }

  /// Orders by time.
  @inlinable package static func < (left: Self, right: Self) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}
