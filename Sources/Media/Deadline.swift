internal import System

/// The time at which a job times out. Time that the daemon spends on reading the file does not count.
struct Deadline {
  /// Nanoseconds of the monotonic clock.
  private var end: UInt64

  /// The time `time` from now.
  init(after time: Duration) { end = monotonicTime() + time.nanoseconds }

  /// Milliseconds left, rounded up; 0 after the deadline.
  var millisecondsLeft: Int {
    let now = monotonicTime()
    return now < end ? Int((end - now) / 1_000_000) + 1 : 0
  }

  /// Runs `work` without counting its time.
  mutating func exclude(_ work: () -> Void) {
    let before = monotonicTime()
    work()
    end += monotonicTime() - before
  }
}
