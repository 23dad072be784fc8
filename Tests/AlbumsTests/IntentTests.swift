import AlbumsSupport
import FaultyStorage
import Index
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// Small writes that are synced without a commit of the index.
@Suite struct IntentTests {
  /// A file of some bytes, which the index has.
  private func begin(
    _ size: Int = 1000, storage: FaultyStorage = FaultyStorage()
  ) throws -> (vault: TestVault, file: InodeNumber) {
    let vault = try TestVault(storage: storage) {
      $0.commitInterval = 3600
      // A full disk stays full.
      $0.cleans = false
    }
    let file = try vault.files.make("file", with: pattern(size, 1))
    try vault.files.synchronize()
    #expect(try vault.space.writeIntents() == [])
    return (vault, file)
  }

  /// What the machine finds when nothing but what was flushed is left.
  private func afterPowerCut(_ vault: TestVault) throws -> TestVault {
    try TestVault(vault, over: vault.storage.after(.losesAll))
  }

  @Test func whatIsAppendedAndSyncedNeedsNoCommitOfTheIndex() throws {
    let (vault, file) = try begin()
    let commits = vault.files.locked { $0.commits.begun }
    for number in 0..<20 {
      try vault.files.put(pattern(100, number), file, at: 1000 + 100 * number)
      try vault.files.synchronize()
    }
    #expect(vault.files.locked { $0.commits.begun } == commits)
    #expect(try vault.space.writeIntents().count == 20)
    let attributes = try vault.files.attributes(of: file)

    let after = try afterPowerCut(vault)
    #expect(try after.files.get(file) == pattern(1000, 1) + (0..<20).flatMap { pattern(100, $0) })
    let found = try after.files.attributes(of: file)
    #expect(found.size == 3000)
    #expect(found.modified == attributes.modified)
    #expect(found.changed == attributes.changed)
    // A mount that ends in order leaves no intents.
    try after.reopen()
    #expect(try after.space.writeIntents() == [])
    #expect(try after.files.get(file).count == 3000)
    try after.closeSound()
    try vault.files.close()
  }

  @Test func aCrashAfterACrashLosesNothing() throws {
    let (vault, file) = try begin()
    try vault.files.put([1, 2, 3], file, at: 2000)
    try vault.files.synchronize()
    let second = try afterPowerCut(vault)
    try second.files.put([4, 5, 6], file, at: 2003)
    try second.files.synchronize()
    let third = try afterPowerCut(second)
    #expect(try third.files.get(file, at: 1990) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6])
    for vault in [third, second, vault] { try vault.files.close() }
    try third.expectSound()
  }

  /// Threads write to the same places of a file and sync at once, beside commits: what was written last also counts
  /// after a power cut.
  @Test func whatThreadsSyncAtOnceIsInTheLogInTheOrderOfTheWrites() throws {
    let (vault, file) = try begin()
    let files = vault.files
    for round in 0..<20 {
      try inThreads(6) { thread in
        for step in 0..<6 {
          if thread == 0, step == 3 {
            try files.change(file) { $0.mode = round % 2 == 0 ? 0o600 : 0o640 }
          }
          try files.put(pattern(300, 100 * round + 10 * thread + step), file, at: 100 * step)
          try files.synchronize()
        }
      }
      let after = try afterPowerCut(vault)
      #expect(isSame(try after.files.get(file), try files.get(file)))
      try after.files.close()
    }
    try vault.closeSound()
  }

  /// What else can be done to files, so that an intent alone would give another state.
  static let otherChanges: [(name: String, change: @Sendable (FileSystem, InodeNumber) throws -> Void)] = [
    ("shorter", { files, file in try files.resize(file, 500) }),
    (
      "shorter and longer",
      { files, file in
        try files.resize(file, 0)
        try files.resize(file, 1200)
      }
    ),
    ("mode", { files, file in try files.change(file) { $0.mode = 0o600 } }),
    ("renamed", { files, _ in try files.rename(.of("file"), in: .root, to: .of("new"), in: .root, flags: []) }),
    ("another", { files, _ in try files.put([9], try files.make("another")) }),
    (
      "hole",
      { files, file in try files.allocate(file, mode: [.punchHole, .keepSize], offset: FileOffset(100), length: 1100) }
    ),
  ]

  @Test(arguments: otherChanges.indices) func anythingElseCommitsTheIndex(place: Int) throws {
    let (vault, file) = try begin()
    try vault.files.put(pattern(200, 2), file, at: 900)
    try vault.files.synchronize()
    #expect(try vault.space.writeIntents().count == 1)
    try Self.otherChanges[place].change(vault.files, file)
    try vault.files.synchronize()
    #expect(try vault.space.writeIntents() == [])
    // And after that they are stated again, over the new state.
    try vault.files.put([7, 7, 7], file, at: 1150)
    try vault.files.synchronize()
    #expect(try vault.space.writeIntents().count == 1)
    let after = try afterPowerCut(vault)
    #expect(try Tree(of: after.files) == Tree(of: vault.files))
    try after.closeSound()
    try vault.files.close()
  }

  /// Random writes and cuts to a few files, compared after each sync with what a power cut leaves.
  @Test(arguments: TestLength.seedArguments(8)) func everySyncedStateIsFoundAgain(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let vault = try TestVault { $0.commitInterval = 3600 }
    let files = try (0..<4).map { try vault.files.make("\($0)") }
    try vault.files.synchronize()
    var stated = 0
    for step in 0..<60 {
      let file = files[Int.random(in: 0..<4, using: &generator)]
      let offset = Int.random(in: 0..<8, using: &generator) << Int.random(in: 0...20, using: &generator)
      switch Int.random(in: 0..<24, using: &generator) {
      case 0: try vault.files.resize(file, Int64(offset))
      case 1: try vault.files.space.advanceEpoch()
      case 2: try vault.files.put(pattern(100_000, step), file, at: offset)
      default: try vault.files.put(pattern(Int.random(in: 1...3000, using: &generator), step), file, at: offset)
      }
      guard Int.random(in: 0..<3, using: &generator) > 0 else { continue }
      try vault.files.synchronize()
      stated += try vault.space.writeIntents().isEmpty ? 0 : 1
      guard step % 4 == 0 else { continue }
      let after = try vault.afterPowerCut(seed: seed &* 1000 &+ UInt64(step))
      #expect(try Tree(of: after.files) == Tree(of: vault.files))
      try after.closeSound()
    }
    #expect(stated > 5)
    try vault.files.close()
  }

  @Test func theyAreBounded() throws {
    let (vault, file) = try begin()
    let commits = vault.files.locked { $0.commits.begun }
    for number in 0..<100 {
      try vault.files.put(pattern(8000, number), file, at: 8000 * number)
      try vault.files.synchronize()
      #expect(vault.space.log.locked { $0.database.intents.count } <= 256 << 10)
    }
    #expect((commits + 2...commits + 6).contains(vault.files.locked { $0.commits.begun }))
    let after = try afterPowerCut(vault)
    #expect(try after.files.get(file) == (0..<100).flatMap { pattern(8000, $0) })
    try after.files.close()
    try vault.files.close()
  }

  @Test func aNewHeadRepeatsThem() throws {
    let (vault, file) = try begin()
    try vault.files.put(pattern(100, 5), file, at: 50)
    try vault.files.synchronize()
    for _ in 0..<3 { try vault.space.advanceEpoch() }
    let after = try afterPowerCut(vault)
    #expect(try after.files.get(file, at: 50, count: 100) == pattern(100, 5))
    try after.files.close()
    try vault.files.close()
  }

  @Test func aMountThatOnlyReadsShowsThemAndWritesNothing() throws {
    let (vault, file) = try begin()
    try vault.files.put(pattern(100, 5), file, at: 5000)
    try vault.files.synchronize()
    let storage = vault.storage.after(.losesAll)
    let operations = storage.operationCount
    let after = Vault(storage: storage, parameters: vault.vault.parameters)
    let space = try after.openSpace(vault.body, readOnly: true, copyWindow: 0)
    let files = try Workload.mount(space, readOnly: true)
    #expect(try files.get(file) == pattern(1000, 1) + [UInt8](repeating: 0, count: 4000) + pattern(100, 5))
    #expect(try files.find("file").size == 5100)
    try files.close()
    #expect(storage.operationCount == operations)
    try vault.files.close()
  }

  @Test func aChangeOfThePasswordAfterACrashKeepsThem() throws {
    let storage = FaultyStorage()
    let vault = Vault(storage: storage, parameters: .cheap)
    try SpaceManager.addSpace(to: vault, password: .of("old"))
    let files = try vault.mount(.of("old")) { $0.commitInterval = 3600 }
    let file = try files.make("file")
    try files.synchronize()
    try files.put(pattern(300, 3), file)
    try files.synchronize()
    #expect(try files.space.writeIntents().count == 1)

    let after = Vault(storage: storage.after(.losesAll), parameters: vault.parameters)
    try SpaceManager.changePassword(in: after, old: .of("old"), new: .of("new"))
    let found = try after.mount(.of("new")) { $0.commitInterval = 3600 }
    #expect(try found.get(file) == pattern(300, 3))
    try found.close()
    try files.close()
  }

  /// The disk becomes full between an fsync and the commit of the index: the commit that a deletion makes does not lose
  /// what was durable.
  @Test func aFullDiskKeepsThem() throws {
    let storage = FaultyStorage(limit: 64 << 20)
    let (vault, file) = try begin(storage: storage)
    let files = vault.files
    _ = try files.make("to be deleted")
    let large = try files.make("large", with: pattern(3 << 20, 8))
    try files.synchronize()
    try files.put(pattern(5000, 5), file, at: 100)
    try files.put(pattern(300, 6), large, at: 3 << 20)
    try files.synchronize()
    #expect(try vault.space.writeIntents().count == 2)
    // Nothing of this is synced, and what the segment that is open has room for is less.
    for window in 1...6 { try files.put(pattern(900 << 10, 9), file, at: window << 20) }
    storage.fill()
    try files.unlink(.of("to be deleted"), in: .root)
    expect(.noSpace) { try files.synchronize() }
    try vault.space.sync()
    let left = try vault.space.writeIntents()

    let after = try TestVault(vault, over: storage.after(.losesAll))
    after.storage.setLimit(.max)
    #expect(try after.files.get(file, count: 5100) == Array(pattern(1000, 1)[..<100]) + pattern(5000, 5))
    #expect(try after.files.get(large) == pattern(3 << 20, 8) + pattern(300, 6))
    try after.closeSound()
    // It was the commit that kept them, not its absence.
    #expect(left.contains { $0.inode == file })
    #expect(try !after.files.names(of: .root).keys.contains("to be deleted"))
    storage.setLimit(.max)
    try files.close()
  }

  @Test func whatCannotBePlacedIsKeptAndReported() throws {
    let (vault, file) = try begin()
    let lost = WriteIntent(
      inode: InodeNumber(rawValue: 9999), size: 3, modifiedSeconds: 0, modifiedNanoseconds: 0,
      writes: [WriteIntent.Write(offset: .zero, bytes: [1, 2, 3])])
    try vault.space.commit(LogTransaction(stating: [lost]))
    try vault.space.sync()
    let after = try afterPowerCut(vault)
    try after.files.put([1], file)
    _ = try after.files.make("other")
    try after.files.synchronize()
    try after.files.close()
    let space = try after.vault.openSpace(after.body, readOnly: true, copyWindow: 0)
    #expect(try space.writeIntents() == [lost])
    let problems = Checker.check(space, readData: true).problems
    #expect(problems.count == 1)
    #expect(problems.first?.text.contains("inode 9999") == true)
    try space.close()
    try vault.files.close()
  }
}
