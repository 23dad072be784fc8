import FaultyStorage
import Storage
import TestSupport
import Testing

@testable import Vault

/// A seeded workload that is cut at an operation of the storage, in many ways; the next opening must show a prefix that
/// holds what was flushed.
@Suite struct LogPowerCutTests {
  static let pageCount: UInt32 = 6

  /// A page of which two versions often differ in a few bytes only, so that some commits state no more than those.
  static func content(_ number: UInt32, version: Int) -> [UInt8] {
    var bytes = page(number, version: version & ~3)
    let start = 40 * (version % 100)
    bytes.replaceSubrange(start..<start + 16, with: randomBytes(16, seed: UInt64(version)))
    return bytes
  }

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
        let piece = try space.append(randomBytes(Int.random(in: 1...200_000, using: &generator), seed: seed)).first
        var versions = run.states[run.states.count - 1]
        var changed: [UInt32: [UInt8]] = [:]
        for number in 1...pageCount {
          // One page always changes, so that no two states look alike.
          let isChanged = number == 1 || versions[Int(number) - 1] == 0 || Int.random(in: 0..<3, using: &generator) == 0
          if !isChanged { continue }
          versions[Int(number) - 1] = step
          changed[number] = Self.content(number, version: step)
        }
        // A commit that fails on its way may still be found later, so the state counts from its beginning.
        run.states.append(versions)
        run.extents.append(piece)
        run.seeds.append(seed)
        try space.commit(changed, pageCount: pageCount)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1:
          try space.sync()
          run.durable = run.states.count - 1
        case 2:
          for segment in space.segments() where !segment.isOpen && segment.databasePages == 0 {
            if piece?.position.segment != segment.number { try space.retire([segment.number]) }
          }
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
    let pages = try (1...Self.pageCount).map { try space.pageBytes($0) }
    return run.states.indices.dropFirst().last { index in
      (1...Self.pageCount).allSatisfy { number in
        let place = Int(number) - 1
        return pages[place] == Self.content(number, version: run.states[index][place])
      }
    }
  }

  static func check(
    _ storage: FaultyStorage, _ test: TestSpace, _ run: Run, ownFiles: Int, acceptOlder: Bool = false, _ label: String
  ) throws {
    let vault = test.vault(over: storage)
    // Before the first flush there may be no space yet; no slot names one then.
    if run.durable == 0, (try? vault.openSpace(test.body)) == nil { return }
    storage.killProcess()
    let space = try vault.openSpace(test.body, acceptOlder: acceptOlder, copyWindow: 0)
    let comment = Comment(rawValue: label)
    #expect(space.gate.reason == nil, comment)
    if ownFiles > 0 {
      #expect(storage.names.count == ownFiles, comment)
      #expect(space.wrongCover(in: storage) == [], comment)
    }
    let shown = try state(space, run)
    let found = try #require(shown, comment)
    #expect(found >= run.durable, comment)
    if let piece = run.extents[found] {
      let bytes = try space.bytes(piece)
      #expect(bytes == piece.part(of: randomBytes(200_000, seed: run.seeds[found])), comment)
    }
    // Work goes on, and survives another cut.
    try space.commit([1: Self.content(1, version: 999_999)], pageCount: pageCount)
    try space.sync()
    let after = storage.powerCut(seed: 1)
    let again = try test.vault(over: after).openSpace(test.body)
    let first = try again.pageBytes(1)
    #expect(first == Self.content(1, version: 999_999), comment)
  }

  /// With and without cover that the space owns.
  @Test(arguments: [0, 24]) func everyCutLeavesAPrefixWithAllThatWasFlushed(ownFiles: Int) throws {
    var cases = 0
    let ways: [UInt64] = [1, 2]
    for seed in TestLength.seeds(3, few: 1) {
      let whole = try TestSpace.owningCover(ownFiles)
      let start = whole.storage.operationCount
      var complete = Run()
      Self.work(whole, &complete, seed: seed, steps: 40)
      #expect(complete.states.count == 41)
      let operations = whole.storage.operationCount
      let step = ownFiles == 0 ? 3 : 7
      let stops = stride(from: start + 1 + Int(seed) % step, through: operations, by: step)
      for operation in TestLength.sample(Array(stops), 5, name: "\(ownFiles) \(seed)") {
        let test = try TestSpace.owningCover(ownFiles)
        test.storage.inject(.cut(at: operation))
        var run = Run()
        Self.work(test, &run, seed: seed, steps: 40)
        for cut in ways {
          let cutSeed = UInt64(operation) * 256 + cut
          let storage = test.storage.powerCut(seed: cutSeed)
          let label = "seed " + String(seed) + ", operation " + String(operation) + ", way " + String(cut)
          try Self.check(storage, test, run, ownFiles: ownFiles, label)
          cases += 1
        }
      }
    }
    #expect(TestLength.isWhole ? cases > 100 : cases == 5 * ways.count)
  }

  /// What happens between a crash and a refresh.
  enum Completion: CaseIterable {
    /// The space is mounted for writing, nothing is written, and it is unmounted.
    case byMount
    /// `agonyfs refresh --complete`.
    case byRefresh
  }

  /// A refresh gives every file another birth, so the vault is a copy to its spaces, and it asks for short files to be
  /// completed before. A mount of the space completes all of its own. After a kill everything is as before. After a power cut
  /// nothing that was flushed is lost; where the disk kept a later file and lost all of an earlier one, what is left looks
  /// like a copy that is not finished, and is read-only until an older state is accepted.
  ///
  /// With cover that the space owns, the number of its files is the same before and after.
  @Test(arguments: [true, false], Completion.allCases)
  func aRefreshAfterACrashLosesNothing(losesPower: Bool, completion: Completion) throws {
    for ownFiles in [0, 24] { try refresh(ownFiles: ownFiles, losesPower, completion) }
  }

  private func refresh(ownFiles: Int, _ losesPower: Bool, _ completion: Completion) throws {
    var (cases, unfinished) = (0, 0)
    let complete = try TestSpace.owningCover(ownFiles)
    let start = complete.storage.operationCount
    var run = Run()
    Self.work(complete, &run, seed: 4, steps: 40)
    let stops = stride(from: start + 1, through: complete.storage.operationCount, by: ownFiles == 0 ? 5 : 31)
    for operation in TestLength.sample(Array(stops), 3, name: "\(ownFiles) \(losesPower) \(completion)") {
      let test = try TestSpace.owningCover(ownFiles)
      test.storage.inject(.cut(at: operation))
      var run = Run()
      Self.work(test, &run, seed: 4, steps: 40)
      let crashed = losesPower ? test.storage.powerCut(seed: UInt64(operation) * 8 + 1) : test.storage.after(.keepsAll)
      let isShort = { (name: SegmentIdentifier) in crashed.content(name).count < TestSpace.segmentSize }
      switch completion {
      case .byMount:
        // Before the first flush there may be no space yet.
        guard let space = try? test.vault(over: crashed).openSpace(test.body) else { continue }
        try space.close()
      case .byRefresh: try test.vault(over: crashed).completeShortFiles()
      }
      #expect(!crashed.names.contains(where: isShort))
      let refreshed = crashed.copy()
      let isUnfinished = (try? test.vault(over: refreshed).openSpace(test.body))?.origin.isUnfinishedCopy == true
      if isUnfinished { unfinished += 1 }
      let label = "operation " + String(operation) + ", own files " + String(ownFiles)
      try Self.check(refreshed, test, run, ownFiles: ownFiles, acceptOlder: isUnfinished, label)
      cases += 1
    }
    // At the last stop there is a space.
    #expect(cases > (TestLength.isWhole ? ownFiles == 0 ? 60 : 8 : 0))
    if !losesPower { #expect(unfinished == 0) }
    #expect(!TestLength.isWhole || unfinished * 10 < cases, "\(unfinished) of \(cases)")
  }
}
