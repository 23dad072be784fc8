/// Decides when a mount has been unused for long enough. Times are in seconds of the monotonic clock.
struct IdleWatch {
  /// How long the mount must be unused, in seconds.
  private let limit: Int64
  /// The earliest time of the next check.
  private var postponed: Int64 = .min

  init(limit: Duration) {
    self.limit = max(1, limit.components.seconds)
  }

  /// The time of the next check, given the last use.
  func next(lastUse: Int64) -> Int64 { max(lastUse + limit, postponed) }

  /// Whether the mount has been unused for long enough and no file is open. Open files postpone the next check.
  mutating func isDue(now: Int64, lastUse: Int64, openFiles: Int) -> Bool {
    guard now >= next(lastUse: lastUse) else { return false }
    guard openFiles == 0 else {
      postpone(now: now)
      return false
    }
    return true
  }

  /// Postpones the next check, because the mount is in use without requests.
  mutating func postpone(now: Int64) {
    postponed = now + max(1, min(limit / 4, 60))
  }
}
