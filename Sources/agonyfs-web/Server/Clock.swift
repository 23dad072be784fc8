internal import Glibc

/// The clock of pairings, tries and sessions. It goes on while the machine sleeps, so that a session ends then, too.
enum Clock {
  /// The time since the machine was started.
  static var now: Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
