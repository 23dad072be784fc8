internal import Glibc

/// Nanoseconds of the monotonic clock, to a few milliseconds: for deadlines, and for the time between events. The clock
/// stops while the machine sleeps, and setting the time of day does not change it.
package func monotonicTime() -> UInt64 { nanoseconds(of: CLOCK_MONOTONIC_COARSE) }

/// Nanoseconds of the same clock, for times that are shorter than its ticks. It takes longer to read.
package func preciseMonotonicTime() -> UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

private func nanoseconds(of clock: clockid_t) -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(clock, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Whole seconds of the monotonic clock.
package func monotonicSeconds() -> Int64 { Int64(monotonicTime() / 1_000_000_000) }

/// The time of day: seconds since 1970, UTC, and nanoseconds after them, below 1,000,000,000.
package func timeOfDay() -> (seconds: Int64, nanoseconds: UInt32) {
  var time = timespec()
  unsafe clock_gettime(CLOCK_REALTIME, &time)
  return (Int64(time.tv_sec), UInt32(time.tv_nsec))
}

extension Duration {
  /// Whole nanoseconds, of at most 500 years; 0 for a negative duration.
  package var nanoseconds: UInt64 {
    UInt64(clamping: components.seconds) * 1_000_000_000 + UInt64(clamping: components.attoseconds / 1_000_000_000)
  }
}
