import FaultyStorage
import Storage
import TestSupport
import Testing

@testable import Vault

/// Snapshots of a space that is written by chance.
@Suite struct SnapshotWorkloadTests {
  /// A space that is written by chance, and what its database has.
  private struct Workload {
    static let pageCount: UInt32 = 12
    let test: TestSpace
    /// Whether the disk is full at times.
    let meetsFullDisk: Bool
    var random: SeededGenerator
    /// The version of each page, and of each page that is durable.
    var versions: [UInt32: Int] = [:]
    var durable: [UInt32: Int] = [:]
    private var version = 0

    init(seed: UInt64, ownsCover: Bool, meetsFullDisk: Bool = false) throws {
      test = try ownsCover ? TestSpace.owningCover() : TestSpace()
      self.meetsFullDisk = meetsFullDisk
      random = SeededGenerator(seed: seed)
      try commit(Array(1...Self.pageCount))
      try sync()
    }

    private mutating func commit(_ numbers: [UInt32]) throws {
      version += 1
      let version = version
      let pages = Dictionary(uniqueKeysWithValues: numbers.map { ($0, page($0, version: version)) })
      try test.space.commit(pages, pageCount: Self.pageCount)
      for number in numbers { versions[number] = version }
    }

    private mutating func sync() throws {
      try test.space.sync()
      durable = versions
    }

    mutating func step() throws {
      do {
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<6:
          let count = Int.random(in: 1...5, using: &random)
          try commit(Array((1...Self.pageCount).shuffled(using: &random).prefix(count)))
        case 6, 7: _ = try test.space.append(randomBytes(Int.random(in: 1...300_000, using: &random)))
        case 8, 9: try test.space.retireUnneeded()
        case 10: try sync()
        case 11 where meetsFullDisk: test.storage.fill(leaving: Int.random(in: 0...3 << 20, using: &random))
        case 12 where meetsFullDisk: test.storage.setLimit(.max)
        default: try test.space.advanceEpoch()
        }
      } catch VaultError.noSpace {
        // Nothing of it counts.
      }
    }
  }

  /// Each read gives the page of its state, or says that the snapshot has ended; and a crash in the middle leaves what it
  /// would leave without one.
  @Test(arguments: TestLength.seedArguments(24))
  func interleavings(seed: UInt64) throws {
    for ownsCover in [false, true] {
      var workload = try Workload(seed: seed, ownsCover: ownsCover, meetsFullDisk: !ownsCover)
      let test = workload.test
      var random = SeededGenerator(seed: seed &+ 5000)
      var held: [(snapshot: SpaceSnapshot, versions: [UInt32: Int])] = []
      for step in 0..<150 {
        try workload.step()
        switch Int.random(in: 0..<6, using: &random) {
        case 0: held.append((try test.space.snapshot(), workload.versions))
        case 1 where held.count > 4: held.remove(at: Int.random(in: held.indices, using: &random))
        default: break
        }
        for (snapshot, versions) in held {
          let number = UInt32.random(in: 1...Workload.pageCount, using: &random)
          do {
            let isSame = try snapshot.pageBytes(number) == page(number, version: versions[number] ?? 0)
            #expect(isSame, "seed \(seed), step \(step), page \(number)")
          } catch VaultError.snapshotEnded {
            #expect(snapshot.hasEnded)
          }
        }
      }
      #expect(test.space.snapshotCount == held.count { !$0.snapshot.hasEnded })
      try expectPrefix(after: test.storage.powerCut(seed: seed), workload, "seed \(seed)")
    }
  }

  /// Opens what a power cut left: each page is of a commit that is not older than what was durable.
  private func expectPrefix(after storage: FaultyStorage, _ workload: Workload, _ comment: Comment) throws {
    let test = workload.test
    let space = try test.vault(over: storage).openSpace(test.body, copyWindow: 0)
    if space.ownsCover { #expect(storage.names.count == TestSpace.ownFiles, comment) }
    for number in 1...Workload.pageCount {
      let found = try space.pageBytes(number)
      let possible = (workload.durable[number] ?? 0)...(workload.versions[number] ?? 0)
      #expect(possible.contains { found == page(number, version: $0) }, comment)
    }
  }

  /// With snapshots and without, the same files come and go at the same moments, by as many calls, and there is as much room.
  @Test(arguments: TestLength.seedArguments(16))
  func theHostDoesNotShowThem(seed: UInt64) throws {
    for ownsCover in [false, true] {
      let without = try trace(seed: seed, ownsCover: ownsCover, asks: false)
      let with = try trace(seed: seed, ownsCover: ownsCover, asks: true)
      let firstDifference = zip(without, with).enumerated().first { $0.element.0 != $0.element.1 }?.offset
      #expect(firstDifference == nil, "seed \(seed), owns cover: \(ownsCover)")
    }
  }

  /// After each step: the calls and deletions so far, the room, and which of all files are there, by the order of their
  /// creation.
  private func trace(seed: UInt64, ownsCover: Bool, asks: Bool) throws -> [[Int]] {
    var workload = try Workload(seed: seed, ownsCover: ownsCover)
    let (storage, space) = (workload.test.storage, workload.test.space)
    var random = SeededGenerator(seed: seed &+ 9000)
    var asked: [SpaceSnapshot] = []
    var known: [SegmentIdentifier] = []
    var trace: [[Int]] = []
    for step in 0..<120 {
      try workload.step()
      if asks {
        if step.isMultiple(of: 3) { asked.append(try space.snapshot()) }
        if asked.count > 8 { asked.remove(at: Int.random(in: asked.indices, using: &random)) }
        for snapshot in asked {
          _ = try? snapshot.pageBytes(UInt32.random(in: 1...Workload.pageCount, using: &random))
        }
      }
      let names = storage.names
      known += names.filter { !known.contains($0) }
      let present = Set(names)
      trace.append(
        [storage.operationCount, storage.deletionCount, Int(space.capacity().availableBytes), space.retiredSegments]
          + known.indices.filter { present.contains(known[$0]) })
    }
    return trace
  }
}
