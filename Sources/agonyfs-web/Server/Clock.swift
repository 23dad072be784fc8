/// The clock of pairings, tries and sessions. It goes on while the machine sleeps, so that a session ends then, too.
enum Clock {
  private static let start = ContinuousClock.now

  /// The time since this was asked first.
  static var now: Duration { ContinuousClock.now - start }
}
