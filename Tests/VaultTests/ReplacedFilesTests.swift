import FaultyStorage
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Vault

/// In a space that owns cover a file goes for each that is made, whatever crashes and full hosts do.
@Suite struct ReplacedFilesTests {
  let test: TestSpace
  var storage: FaultyStorage { test.storage }

  init() throws { test = try .owningCover(version: 1) }

  private func isWhole(_ storage: FaultyStorage) -> Bool {
    storage.names.allSatisfy { storage.content($0).count == TestSpace.segmentSize }
  }

  /// Neither cover nor dead segments nor heads make one more.
  @Test func theNumberStays() throws {
    for round in 2..<40 {
      _ = try test.space.append(randomBytes(600_000, seed: UInt64(round)))
      try test.space.commit([1: page(1, version: round)], pageCount: 1)
      try test.space.retire(test.space.segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number))
      try test.space.advanceEpoch()
      #expect(storage.names.count == TestSpace.ownFiles)
    }
    #expect(try #require(test.space.owner).coverCount == 0)
    try test.space.close()
    #expect(storage.names.count == TestSpace.ownFiles && isWhole(storage))
    #expect(try test.vault.openSpace(test.body).pageBytes(1) == page(1, version: 39))
  }

  /// Another file goes for one that cannot be deleted, which the next mount puts right.
  @Test func whatCannotBeDeletedIsPassedOver() throws {
    _ = try test.space.append(randomBytes(600_000))
    storage.failDeletions()
    _ = try test.space.append(randomBytes(600_000))
    #expect(test.space.wrongCover(in: storage).count == 1)
    #expect(storage.names.count == TestSpace.ownFiles)
    try test.space.close()
    let again = try test.vault.openSpace(test.body, copyWindow: 0)
    try again.cover.prepareFiles()
    #expect(again.wrongCover(in: storage) == [])
    #expect(storage.names.count == TestSpace.ownFiles)
  }

  /// A space that was closed for writing changes nothing.
  @Test func nothingGoesAfterAWriteThatFailed() throws {
    _ = try test.space.append(randomBytes(600_000))
    let before = storage.names
    let written = storage.operationCount
    storage.inject(.error(.ioError, at: written + 2))
    #expect(throws: VaultError.self) { _ = try test.space.append(randomBytes(600_000)) }
    #expect(test.space.isReadOnly && storage.operationCount > written + 1)
    #expect(Set(storage.names).isStrictSuperset(of: before), "a file was made, and none went")
  }

  /// A torn head whose header does not open stays short until there is a newer one: filled it would count as damage.
  @Test func aTornHeadIsNotFilled() throws {
    let before = Set(storage.names)
    storage.inject(.cut(at: storage.operationCount + 2))
    try? test.space.advanceEpoch()
    let after = storage.after(.keepsAll)
    let head = try #require(after.names.first { !before.contains($0) })
    after.tamper(head) { _ in randomBytes(300) }
    // There is no room for a newer one.
    after.fill()
    after.letOthersTakeRoom()
    let again = try test.vault(over: after).openSpace(test.body, acceptOlder: true, copyWindow: 0)
    try again.cover.restoreFileCount()
    #expect(after.content(head).count == 300)
    after.letOthersTakeRoom(false)
    after.setLimit(.max)
    #expect(again.origin.warning == nil)
    try again.commit([1: page(1, version: 2)], pageCount: 1)
    try again.advanceEpoch()
    #expect(after.names.count == TestSpace.ownFiles)
    try again.close()
    #expect(isWhole(after))
  }

  /// Uses all cover, until a dead head goes next.
  private func useUp() throws {
    let space = test.space
    for round in 2..<60 {
      _ = try space.append(randomBytes(600_000, seed: UInt64(round)))
      try space.commit([1: page(1, version: 1)], pageCount: 1)
      try space.retire(space.segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number))
      try space.advanceEpoch()
      if space.owner?.coverCount == 0, space.log.locked({ $0.catalog.deletable.first })?.index == 0 { return }
    }
    Issue.record("no dead head")
  }

  /// A segment that went for a head that is being written is not there again when it is durable.
  @Test func whatWentForAHeadStaysAway() throws {
    try useUp()
    test.space.log.locked { log in
      let (heads, retired) = (log.catalog.heads, log.catalog.retired(asOf: log.catalog.highestEpoch))
      let dead = log.catalog.takeDead()
      if let dead { log.catalog.remove([dead.number]) }
      log.catalog.note(heads: heads, retired: retired)
      #expect(dead != nil && !log.catalog.deletable.contains { $0 == dead?.number })
    }
  }

  @Test(arguments: [false, true]) func aHeadThatFindsNoRoomIsWithdrawn(isUsedUp: Bool) throws {
    if isUsedUp { try useUp() }
    var refused = 0
    // Its file is made, and it is written.
    for operation in 1...2 {
      try test.space.commit([1: page(1, version: 1)], pageCount: 1)
      try test.space.sync()
      storage.inject(.error(.noSpace, at: storage.operationCount + operation))
      do throws(VaultError) { try test.space.advanceEpoch() } catch { refused += 1 }
      storage.inject(nil)
      #expect(!test.space.isReadOnly, "operation \(operation)")
      try test.space.commit([1: page(1, version: operation)], pageCount: 1)
      for _ in 0..<2 { try test.space.advanceEpoch() }
      let short = storage.names.count { storage.content($0).count != TestSpace.segmentSize }
      #expect(storage.names.count == TestSpace.ownFiles && short == 1, "operation \(operation)")
    }
    #expect(refused > 0)
  }

  @Test(arguments: [false, true]) func aHeadThatIsCutHarmsNothing(isUsedUp: Bool) throws {
    if isUsedUp { try useUp() }
    for operation in TestLength.sample(1...16, 8) {
      let crashing = storage.after(.keepsAll)
      let space = try test.vault(over: crashing).openSpace(test.body, acceptOlder: true, copyWindow: 0)
      try space.commit([1: page(1, version: 2)], pageCount: 1)
      try space.sync()
      crashing.inject(.cut(at: crashing.operationCount + operation))
      // With nothing between them, what went for the first has to be durable before the second.
      for _ in 0..<2 { try? space.advanceEpoch() }
      for cut in [.keepsAll, .losesAll] + (1...4).map({ PowerCut.mixed(seed: $0) }) {
        let after = crashing.after(cut)
        let again = try test.vault(over: after).openSpace(test.body, acceptOlder: true, copyWindow: 0)
        try again.cover.prepareFiles()
        #expect(again.origin.warning == nil, "operation \(operation), \(cut)")
        #expect(try again.pageBytes(1) == page(1, version: 2))
        #expect(after.names.count == TestSpace.ownFiles, "operation \(operation), \(cut)")
        for version in 3...5 {
          try again.commit([1: page(1, version: version)], pageCount: 1)
          try again.advanceEpoch()
        }
        try again.close()
        #expect(after.names.count == TestSpace.ownFiles && isWhole(after), "operation \(operation), \(cut)")
      }
    }
  }

  /// A crash may leave cover short that was being made, and others complete it. The next mount writes it again: a backup
  /// would keep the other bytes otherwise.
  @Test func coverThatOthersCompletedIsWrittenAgain() throws {
    try test.space.sync()
    let range = try #require(test.space.owner?.cover.first)
    var disturbed = 0
    for operation in 1...12 {
      let crashing = storage.after(.keepsAll)
      for counter in range.first..<range.first + 3 {
        let file = CoverFile(branch: range.branch, counter: counter)
        crashing.tamper(test.space.keys.coverIdentifier(file)) { _ in nil }
      }
      crashing.inject(.cut(at: crashing.operationCount + operation))
      _ = try? test.vault(over: crashing).openSpace(test.body, acceptOlder: true, copyWindow: 0).cover.prepareFiles()
      let after = crashing.after(.keepsAll)
      for name in after.names where after.content(name).count < TestSpace.segmentSize {
        try after.fill(name, size: TestSpace.segmentSize)
        disturbed += 1
      }
      let again = try test.vault(over: after).openSpace(test.body, acceptOlder: true, copyWindow: 0)
      try again.cover.prepareFiles()
      #expect(again.wrongCover(in: after) == [], "operation \(operation)")
      #expect(after.names.count == TestSpace.ownFiles, "operation \(operation)")
      try again.close()
    }
    #expect(disturbed > 0)
  }

  /// What a crash left behind the last commit belongs to no commit, and is no hole.
  @Test func aCopyAfterACrashIsWhole() throws {
    _ = try test.space.append(randomBytes(100_000))
    try test.space.sync()
    storage.killProcess()
    let space = try test.vault.openSpace(test.body)
    try space.commit([1: page(1, version: 2)], pageCount: 1)
    try space.close()
    let again = try test.vault(over: storage.copy()).openSpace(test.body)
    #expect(again.origin.warning == nil)
    #expect(try again.pageBytes(1) == page(1, version: 2))
  }

  /// In the middle of the last whole segment are other bytes, as a copy program got them that read a file while an
  /// earlier version overwrote it: a mount shows an older state, a check the newest with its damage.
  @Test func aCopyWithAHoleIsAnOlderState() throws {
    for version in 2...4 {
      for seed in 0..<6 as Range<UInt64> { _ = try test.space.append(randomBytes(100_000, seed: seed)) }
      try test.space.commit([1: page(1, version: version)], pageCount: 1)
      try test.space.advanceEpoch()
    }
    let copy = storage.copy()
    let whole = try #require(
      test.space.segmentFiles().last { copy.content($0.identifier).count == TestSpace.segmentSize }?.identifier)
    copy.tamper(whole) { $0[..<200_000] + randomBytes(300_000, seed: 9) + $0[500_000...] }
    let checked = try test.vault(over: copy).openSpace(test.body, scanning: true)
    #expect(try checked.pageBytes(1) == page(1, version: 4))
    #expect(checked.verify(readData: true).count == 1)
    try checked.close()
    let space = try test.vault(over: copy).openSpace(test.body)
    #expect(space.origin.warning?.contains("incomplete") == true)
    #expect(try [2, 3].map { page(1, version: $0) }.contains(space.pageBytes(1)))
  }
}
