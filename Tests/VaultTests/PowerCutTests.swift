import FaultyStorage
import Storage
import Testing

@testable import Vault

/// A seeded workload that is cut at an operation of the storage, in many ways; the next opening must show a prefix that holds what was flushed.
@Suite struct PowerCutTests {
  static let pageCount: UInt32 = 6

  /// What a run did before it ended.
  struct Run {
    /// State after each commit: the version of every page, and an extent that the state names.
    var states: [[Int]] = [Array(repeating: 0, count: Int(pageCount))]
    var extents: [ExtentPiece?] = [nil]
    var seeds: [UInt64] = [0]
    /// Index of the last state that a barrier returned for.
    var durable = 0
  }

  /// Runs until something throws, or to the end.
  static func work(_ test: TestSpace, _ run: inout Run, seed: UInt64, steps: Int) {
    var generator = SeededGenerator(seed: seed)
    var space = test.space
    do {
      for step in 1...steps {
        let seed = UInt64(step)
        let piece = try space.append(
          randomBytes(Int.random(in: 1...200_000, using: &generator), seed: seed)
        ).first
        var versions = run.states[run.states.count - 1]
        var changed: [UInt32: [UInt8]] = [:]
        for number in 1...pageCount where versions[Int(number) - 1] == 0 || Int.random(in: 0..<3, using: &generator) == 0 {
          versions[Int(number) - 1] = step
          changed[number] = page(number, version: step)
        }
        // A commit that fails on its way may still be found later, so the state counts from its beginning.
        run.states.append(versions)
        run.extents.append(piece)
        run.seeds.append(seed)
        try space.commit(changed, pageCount: pageCount)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1:
          try space.barrier()
          run.durable = run.states.count - 1
        case 2:
          space.retire(
            space.segments().filter { segment in
              !segment.isOpen && segment.databasePages == 0 && piece?.position.segment != segment.number
            }.map(\.number))
          try space.advanceEpoch()
          run.durable = run.states.count - 1
        case 3:
          try space.close()
          run.durable = run.states.count - 1
          space = try test.vault.openSpace(test.body, copyWindow: 0)
        default: break
        }
      }
    } catch {
      return
    }
  }

  /// Which state the space shows; nil when it is none of them.
  static func state(_ space: Space, _ run: Run) throws -> Int? {
    if space.databasePageCount == 0 { return 0 }
    let pages = try (1...pageCount).map { try space.pageBytes($0) }
    return run.states.indices.reversed().first { index in
      index > 0 && (1...pageCount).allSatisfy { pages[Int($0) - 1] == page($0, version: run.states[index][Int($0) - 1]) }
    }
  }

  static func check(_ storage: FaultyStorage, _ test: TestSpace, _ run: Run, _ label: String) throws {
    let vault = test.vault(over: storage)
    let space: Space
    do {
      space = try vault.openSpace(test.body, copyWindow: 0)
    } catch VaultError.damaged where run.durable == 0 {
      return
    }
    #expect(space.readOnlyReason == nil, "\(label): \(space.readOnlyReason ?? "")")
    let found = try #require(try state(space, run), "\(label): a state that never was")
    #expect(found >= run.durable, "\(label): state \(found) is shown, but \(run.durable) was durable")
    if let piece = run.extents[found] {
      #expect(try space.bytes(piece) == Array(randomBytes(200_000, seed: run.seeds[found])[..<piece.length]), "\(label)")
    }
    // Work goes on, and survives another cut.
    try space.commit([1: page(1, version: 999_999)], pageCount: pageCount)
    try space.barrier()
    let after = storage.powerCut(seed: 1)
    let again = try test.vault(over: after).openSpace(test.body)
    #expect(try again.pageBytes(1) == page(1, version: 999_999), "\(label)")
  }

  @Test func everyCutLeavesAPrefixWithAllThatWasFlushed() throws {
    var cases = 0
    for seed in 1...3 as ClosedRange<UInt64> {
      let whole = TestSpace()
      var complete = Run()
      Self.work(whole, &complete, seed: seed, steps: 40)
      #expect(complete.states.count == 41)
      let operations = whole.storage.operationCount
      for operation in stride(from: 1, through: operations, by: 2) {
        let test = TestSpace()
        test.storage.inject(.cut(at: operation))
        var run = Run()
        Self.work(test, &run, seed: seed, steps: 40)
        for cut in 1...2 as ClosedRange<UInt64> {
          let storage = test.storage.powerCut(seed: UInt64(operation) << 8 | cut)
          try Self.check(storage, test, run, "seed \(seed), cut at \(operation), way \(cut)")
          cases += 1
        }
      }
    }
    #expect(cases > 100)
  }
}
