/// When the patience with a job ends. Time that the daemon itself needs to read the file is added to it.
struct Deadline {
  private var end: ContinuousClock.Instant

  /// That long from now.
  init(after time: Duration) { end = ContinuousClock.now + time }

  /// Milliseconds until then, rounded up; 0 afterwards.
  var millisecondsLeft: Int {
    let left = end - ContinuousClock.now
    return left <= .zero
      ? 0 : Int(clamping: left.components.seconds) * 1000 + Int(left.components.attoseconds / 1_000_000_000_000_000) + 1
  }

  /// Runs something that does not count.
  mutating func excluding<T>(_ work: () -> T) -> T {
    let before = ContinuousClock.now
    defer { end += ContinuousClock.now - before }
    return work()
  }
}
