import Testing

@testable import Media

/// The numbers of the memory that decoders share.
@Suite struct AdmissionBudgetTests {
  /// A budget that expectations can change.
  private final class Purse {
    private(set) var budget: AdmissionBudget

    init(jobsAtOnce: Int) { budget = AdmissionBudget(jobsAtOnce: jobsAtOnce) }

    /// A grant beyond the free memory by so many MiB.
    func grant(_ mebibytes: Int) -> AdmissionBudget.Grant {
      budget.grant(for: Decoder.freeMemory + (mebibytes << 20))
    }

    func take(_ grant: AdmissionBudget.Grant, isUrgent: Bool = false) -> Bool {
      budget.take(grant, isUrgent: isUrgent)
    }

    func take(_ grant: AdmissionBudget.Grant, _ ticket: WaitingOrder.Ticket) -> Bool { budget.take(grant, ticket) }

    func takeBack(_ grant: AdmissionBudget.Grant) { budget.takeBack(grant) }

    func wait(for grant: AdmissionBudget.Grant, isUrgent: Bool = false) -> WaitingOrder.Ticket {
      budget.wait(for: grant, isUrgent: isUrgent)
    }

    func stopWaiting(for grant: AdmissionBudget.Grant, _ ticket: WaitingOrder.Ticket) {
      budget.stopWaiting(for: grant, ticket)
    }
  }

  @Test func allTogetherIsBounded() {
    for count in [1, 2, 8, 256] {
      let purse = Purse(jobsAtOnce: count)
      let grant = purse.grant(16)
      var given = 0
      while purse.take(grant) { given += 1 }
      #expect(given == count * 8)
      #expect(purse.budget.granted + count * Decoder.freeMemory <= count * AdmissionBudget.share)
    }
  }

  @Test func onlyOneLargeGrantIsGivenAndHoldsUpNoOther() {
    let purse = Purse(jobsAtOnce: 2)
    let large = purse.grant(257)
    #expect(large == AdmissionBudget.largest && !purse.grant(256).isLarge)
    #expect(purse.take(large))
    #expect(!purse.take(large, isUrgent: true))
    #expect(purse.take(purse.grant(256)))
    purse.takeBack(large)
    #expect(purse.take(large))
  }

  @Test func whatNoProcessCanHaveCountsAsTheMost() {
    for count in [1, 16, 256] {
      let budget = AdmissionBudget(jobsAtOnce: count)
      #expect(budget.grant(for: .max).bytes == Decoder.mostMemory)
    }
  }

  @Test func whatIsTakenBackIsGivenAgain() {
    let purse = Purse(jobsAtOnce: 1)
    let grant = purse.grant(128)
    for _ in 0..<3 {
      #expect(purse.take(grant))
      #expect(!purse.take(grant))
      purse.takeBack(grant)
    }
    #expect(purse.budget.granted == 0)
  }

  @Test func nobodyIsOvertakenButByWhatSomebodyWaitsFor() {
    let purse = Purse(jobsAtOnce: 1)
    let (all, little) = (purse.grant(128), purse.grant(1))
    let half = purse.grant(64)
    #expect(purse.take(half))
    let first = purse.wait(for: all)
    let second = purse.wait(for: little)
    #expect(purse.budget.waiting == 2)
    // There is room for a little, but it came later.
    #expect(!purse.take(little, second) && !purse.take(little))
    #expect(purse.take(little, isUrgent: true))
    purse.takeBack(little)
    purse.takeBack(half)
    #expect(!purse.take(little, second) && purse.take(all, first))
    #expect(!purse.take(little, second))
    purse.takeBack(all)
    #expect(purse.take(little, second) && purse.budget.waiting == 0)
  }

  @Test func whoStopsWaitingHoldsUpNobody() {
    let purse = Purse(jobsAtOnce: 1)
    let (all, little) = (purse.grant(128), purse.grant(1))
    #expect(purse.take(little))
    let first = purse.wait(for: all, isUrgent: true)
    let second = purse.wait(for: little)
    #expect(!purse.take(all, first) && !purse.take(little, second))
    purse.stopWaiting(for: all, first)
    #expect(purse.take(little, second))
  }

  @Test func aQuarterOfTheMemoryBoundsTheShares() {
    #expect(AdmissionBudget.mostJobs(inMemory: 0) == 1)
    #expect(AdmissionBudget.mostJobs(inMemory: 4 << 30) == 4)
    #expect(AdmissionBudget.mostJobs(inMemory: 64 << 30) == 64)
  }
}
