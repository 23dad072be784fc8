/// Decides when nobody has used a mount for long enough. Times are seconds of the monotonic clock.
struct IdleWatch {
  /// How long nobody may use it, in seconds.
  private let limit: Int64
  /// No earlier than then.
  private var postponed: Int64 = .min

  init(limit: Duration) {
    self.limit = max(1, limit.components.seconds)
  }

  /// When to look next, given when the mount was used last.
  func next(lastUse: Int64) -> Int64 { max(lastUse + limit, postponed) }

  /// Whether the mount has been left alone for long enough, and nothing is open. When something is open it puts the
  /// next look off.
  mutating func isDue(now: Int64, lastUse: Int64, openFiles: Int) -> Bool {
    guard now >= next(lastUse: lastUse) else { return false }
    guard openFiles == 0 else {
      postpone(now: now)
      return false
    }
    return true
  }

  /// Puts the next look off: the mount is in use without requests.
  mutating func postpone(now: Int64) {
    postponed = now + max(1, min(limit / 4, 60))
  }
}
