/// The clock of pairings, tries and sessions. It continues while the machine sleeps, so that sessions end then as well.
enum Clock {
  private static let start = ContinuousClock.now

  /// The time since the first call.
  static var now: Duration { ContinuousClock.now - start }
}
