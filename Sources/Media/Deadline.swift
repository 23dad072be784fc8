internal import System

/// When a job times out. The time in which the daemon reads the file does not count.
struct Deadline {
  /// Nanoseconds of the monotonic clock.
  private var end: UInt64

  /// The moment `time` from now.
  init(after time: Duration) { end = monotonicTime() + time.nanoseconds }

  /// Milliseconds until then, rounded up; 0 afterwards.
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
