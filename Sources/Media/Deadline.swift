internal import System

/// When the patience with a job ends. Time that the daemon itself needs to read the file is added to it.
struct Deadline {
  /// Nanoseconds of the monotonic clock.
  private var end: UInt64

  /// That long from now.
  init(after time: Duration) { end = monotonicTime() + time.nanoseconds }

  /// Milliseconds until then, rounded up; 0 afterwards.
  var millisecondsLeft: Int {
    let now = monotonicTime()
    return now < end ? Int((end - now) / 1_000_000) + 1 : 0
  }

  /// Runs something that does not count.
  mutating func excluding<T>(_ work: () -> T) -> T {
    let before = monotonicTime()
    defer { end += monotonicTime() - before }
    return work()
  }
}
