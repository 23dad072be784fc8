internal import Glibc

/// Nanoseconds of the monotonic clock, to a few milliseconds.
package func monotonicTime() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
