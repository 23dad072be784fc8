import Albums
import Testing

/// When something is in use, and when it is looked at now and then.
@Suite struct RecentUseTests {
  private let start: UInt64 = 5_000_000_000

  /// Uses at these ticks; whether it is busy at another one.
  private func isBusy(_ used: [UInt64], at tick: UInt64) -> Bool {
    let use = RecentUse()
    for tick in used { use.note(at: start + tick * RecentUse.tick) }
    return use.isBusy(at: start + tick * RecentUse.tick)
  }

  @Test func whatIsUsedAgainAndAgainIsBusyForAQuarterOfASecond() {
    #expect(!isBusy([], at: 0))
    #expect(isBusy(Array(0..<100), at: 100))
    #expect(isBusy([0, 1, 2, 3], at: 3))
    #expect(isBusy([0, 1, 2, 3], at: 15))
    #expect(!isBusy([0, 1, 2, 3], at: 16))
    #expect(!isBusy(Array(0..<100), at: 115))
    #expect(!isBusy(Array(0..<100), at: 100_000))
  }

  @Test func whatIsLookedAtFourTimesASecondIsNot() {
    #expect(!isBusy((0..<50).map { $0 * 15 }, at: 740))
    // Each look takes two ticks.
    #expect(!isBusy((0..<50).flatMap { [$0 * 15, $0 * 15 + 1] }, at: 740))
    #expect(!isBusy([0, 0, 0, 0, 0, 1, 1, 1, 1], at: 1))
  }

  @Test func aClockThatIsReadLateChangesNothing() {
    #expect(isBusy([0, 1, 2, 1, 0, 3, 2], at: 3))
    #expect(isBusy([4, 5, 6, 7], at: 5))
    #expect(isBusy([0, 1, 2, 3, 20, 21, 22, 23], at: 23))
    #expect(!isBusy([0, 1, 2, 3, 20, 21, 22], at: 22))
  }
}
