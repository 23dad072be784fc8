import FaultyStorage
import Storage
import System
import SystemPackage
import TestSupport
import Testing

@testable import Vault

/// The number of the files of a space that owns cover, when the host is full or fails.
@Suite struct OwnedCoverFailureTests {
  let test: TestSpace
  var storage: FaultyStorage { test.storage }

  init() throws { test = try .owningCover() }

  /// What is deleted makes room once; while others take that room, nothing more goes.
  @Test func aHostThatOthersFillTakesNoCover() throws {
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    storage.fill()
    storage.letOthersTakeRoom()
    var refusals = 0
    for _ in 0..<20 {
      do throws(VaultError) {
        try test.space.store(900_000)
      } catch {
        #expect(error == .noSpace)
        refusals += 1
      }
    }
    #expect(refusals >= 18)
    #expect(storage.names.count >= TestSpace.ownFiles - 1)
    storage.letOthersTakeRoom(false)
    storage.setLimit(.max)
    for _ in 0..<2 { try test.space.store(900_000) }
    #expect(storage.names.count == TestSpace.ownFiles)
    try test.space.commit([1: page(1, version: 2)], pageCount: 1)
    try test.space.close()
    #expect(storage.names.count == TestSpace.ownFiles)
    #expect(try test.vault.openSpace(test.body, readOnly: true).missingFiles() == nil)
    // The file that went for the last head is still in its table.
    let again = try test.vault.openSpace(test.body, copyWindow: 0)
    try again.cover.prepareFiles()
    #expect(again.wrongCover(in: storage) == [])
    #expect(try again.pageBytes(1) == page(1, version: 2))
  }

  /// Room is made durably, which takes as long as the disk has to write; nobody else waits for that.
  @Test func othersGoOnWhileAFullHostMakesRoom() throws {
    let (space, storage) = (test.space, storage)
    let piece = try #require(try space.append(randomBytes(10_000)).first)
    try space.commit([1: page(1, version: 1)], pageCount: 1)
    try space.sync()
    storage.fill()
    storage.holdFlushes(true)
    defer { storage.holdFlushes(false) }
    let flushes = storage.flushCount
    let writer = try TestThread { for _ in 0..<2 { try space.store(900_000) } }
    try waitUntil("room is made durably") { storage.flushCount > flushes }
    let others = try TestThread {
      let (data, index) = (try space.bytes(piece), try space.pageBytes(1))
      #expect(data == randomBytes(10_000) && index == page(1, version: 1))
      #expect(space.admit(1000, waiting: 0))
    }
    try others.join(within: .seconds(60))
    storage.holdFlushes(false)
    try writer.join()
    #expect(storage.names.count == TestSpace.ownFiles)
  }

  /// A commit that needs several files takes as much cover as it needs, and is contiguous however many write beside it.
  @Test func aCommitOfSeveralSegmentsMakesItsRoom() throws {
    let (space, storage) = (test.space, storage)
    try space.commit([1: page(1, version: 1)], pageCount: 1)
    let cover = try #require(space.owner).coverCount
    storage.fill()
    let count: UInt32 = 600
    let pages = Dictionary(uniqueKeysWithValues: (1...count).map { ($0, page($0, version: 2)) })
    let others = try TestThread { for _ in 0..<2 { try space.store(900_000) } }
    try space.commit(pages, pageCount: count)
    try others.join()
    #expect(storage.names.count == TestSpace.ownFiles)
    #expect(cover - (space.owner?.coverCount ?? 0) <= 6)
    try space.close()
    let again = try test.vault.openSpace(test.body, copyWindow: 0)
    for number in 1...count { #expect(try again.pageBytes(number) == page(number, version: 2)) }
  }

  /// Several that find the host full at once make room one after the other, each as much as it needs.
  @Test func severalMakeRoomOnAFullHost() throws {
    let (space, storage) = (test.space, storage)
    try space.commit([1: page(1, version: 1)], pageCount: 1)
    storage.fill()
    try inThreads(4) { _ in for _ in 0..<2 { try space.store(900_000) } }
    #expect(storage.names.count == TestSpace.ownFiles)
    try space.commit([1: page(1, version: 2)], pageCount: 1)
    try space.close()
    #expect(storage.names.count == TestSpace.ownFiles)
    let again = try test.vault.openSpace(test.body, copyWindow: 0)
    try again.cover.prepareFiles()
    #expect(again.wrongCover(in: storage) == [])
    #expect(try again.pageBytes(1) == page(1, version: 2))
  }

  /// Cover that is missing makes no room; what is there does.
  @Test func missingCoverIsNoRoom() throws {
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    try test.space.close()
    let range = try #require(test.space.owner?.cover.first)
    for counter in range.first..<range.first + 2 {
      storage.tamper(test.space.coverName(range, counter)) { _ in nil }
    }
    storage.fill()
    let space = try test.vault.openSpace(test.body, acceptOlder: true, copyWindow: 0)
    #expect(storage.names.count == TestSpace.ownFiles - 2)
    for _ in 0..<4 { try space.store(900_000) }
    #expect(storage.names.count == TestSpace.ownFiles - 2)
    storage.setLimit(.max)
    for _ in 0..<3 { try space.store(900_000) }
    #expect(storage.names.count == TestSpace.ownFiles)
    try space.close()
    #expect(storage.names.count == TestSpace.ownFiles)
  }

  @Test func aQuotaThatIsUsedUpIsNoHindrance() throws {
    try test.space.store(900_000)
    storage.inject(.error(.diskQuotaExceeded, at: storage.operationCount + 1))
    try test.space.store(900_000)
    #expect(storage.names.count == TestSpace.ownFiles)
    #expect(test.space.wrongCover(in: storage) == [])
  }

  @Test func aDeadSegmentThatCannotBeDeletedCounts() throws {
    var rounds = Rounds(until: "there is no room, and no cover")
    while test.space.admit(300_000, waiting: 0) {
      try rounds.begin()
      try test.space.store(300_000)
    }
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    try test.space.advanceEpoch()
    try test.space.retire(test.space.segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number))
    for _ in 0..<2 { try test.space.advanceEpoch() }
    while try #require(test.space.owner).coverCount > 0 {
      try rounds.begin()
      try test.space.store(300_000)
    }
    try test.space.store(900_000)
    let segments = test.space.segmentIdentifiers().count
    let names = storage.names
    storage.failDeletions()
    try test.space.store(900_000)
    #expect(storage.names != names && storage.names.count == TestSpace.ownFiles)
    #expect(test.space.segmentIdentifiers().count <= segments)
    for _ in 0..<2 { try test.space.store(900_000) }
    try test.space.commit([1: page(1, version: 2)], pageCount: 1)
    try test.space.close()
    let again = try test.vault.openSpace(test.body, copyWindow: 0)
    #expect(storage.names.count == TestSpace.ownFiles)
    #expect(try again.pageBytes(1) == page(1, version: 2))
  }

  /// In a copy nobody holds the room of the last file.
  @Test func aShortFileOnAFullHostIsCompleted() throws {
    try test.space.store(10_000)
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    try test.space.sync()
    let copy = storage.copy()
    copy.fill()
    let space = try test.vault(over: copy).openSpace(test.body, copyWindow: 0)
    try space.commit([1: page(1, version: 2)], pageCount: 1)
    try space.sync()
    #expect((TestSpace.ownFiles - 1...TestSpace.ownFiles).contains(copy.names.count))
    copy.setLimit(.max)
    for _ in 0..<2 { try space.store(900_000) }
    #expect(copy.names.count == TestSpace.ownFiles)
    try space.close()
    #expect(try test.vault(over: copy).openSpace(test.body).pageBytes(1) == page(1, version: 2))
  }

  @Test func coverThatIsNotMadeAgainLeavesNoShortFile() throws {
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    try test.space.close()
    let range = try #require(test.space.owner?.cover.first)
    for counter in range.end - 3..<range.end { storage.tamper(test.space.coverName(range, counter)) { _ in nil } }
    storage.fill(leaving: 5 * TestSpace.segmentSize / 2)
    storage.claimRoom(1 << 30)
    _ = try test.vault.openSpace(test.body, acceptOlder: true, copyWindow: 0)
    #expect(storage.names.allSatisfy { storage.content($0).count == TestSpace.segmentSize })
    storage.killProcess()
    storage.setLimit(.max)
    let space = try test.vault.openSpace(test.body, acceptOlder: true, copyWindow: 0)
    #expect(storage.names.count == TestSpace.ownFiles && space.wrongCover(in: storage) == [])
  }

  /// No file goes for a head that is not written.
  @Test func coverThatIsNotGivenUpIsKnown() throws {
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    try test.space.sync()
    let before = try #require(test.space.owner)
    // The head is made, then it is written.
    storage.inject(.error(.noSpace, at: storage.operationCount + 2))
    #expect(throws: VaultError.noSpace) { try test.space.cover.giveUpCover(2) }
    let after = try #require(test.space.owner)
    #expect(after == before)
    #expect(storage.names.count == TestSpace.ownFiles && test.space.wrongCover(in: storage) == [])
    // The open segment is short.
    #expect(storage.names.count { storage.content($0).count < TestSpace.segmentSize } == 1)
    try test.space.advanceEpoch()
    #expect(storage.names.count == TestSpace.ownFiles && test.space.wrongCover(in: storage) == [])
    #expect(try #require(test.space.owner).coverCount == after.coverCount - 1)
  }

  /// Segments of another branch count in the copy where they are found, and belong to nobody from then on.
  @Test func segmentsOfAnotherBranchCountOnce() throws {
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    try test.space.close()
    let (copy, other) = (storage.copy(), storage.copy())
    let space = try test.vault(over: other).openSpace(test.body, copyWindow: 0)
    for _ in 0..<4 { try space.store(900_000) }
    try space.commit([1: page(1, version: 2)], pageCount: 1)
    try space.close()
    let strays = space.segmentFiles().filter { $0.number.index > 0 }.map(\.identifier)
      .filter { !storage.names.contains($0) && other.names.contains($0) }
    #expect(strays.count > 2)
    for name in strays { copy.place(other.content(name), as: name) }
    for version in 3...6 {
      let space = try test.vault(over: copy).openSpace(test.body, copyWindow: 0)
      #expect(copy.names.count == TestSpace.ownFiles, "session \(version)")
      #expect(try space.missingFiles() == nil)
      try space.commit([1: page(1, version: version)], pageCount: 1)
      try space.close()
    }
    #expect(strays.allSatisfy { copy.content($0) == other.content($0) })
  }

  /// A backup that was filled again and again without deleting has more segments of the space than it has cover. It can
  /// be written all the same, and where every vault counts as a copy it loses no more cover with each mount.
  @Test(arguments: [false, true]) func aBackupThatPilesUpCanBeWritten(hasBirths: Bool) throws {
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    try test.space.close()
    let copy = storage.copy()
    var space = try test.vault.openSpace(test.body, copyWindow: 0)
    var rounds = Rounds(until: "there are more segments than files")
    while copy.names.count < 3 * TestSpace.ownFiles {
      try rounds.begin()
      try space.store(900_000)
      try space.commit([1: page(1, version: 2)], pageCount: 1)
      try space.retire(space.segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number))
      try space.advanceEpoch()
      try space.close()
      for name in storage.names { copy.place(storage.content(name), as: name) }
      space = try test.vault.openSpace(test.body, copyWindow: 0)
    }
    if !hasBirths { copy.forgetBirths() }
    var covers: Set<Int> = []
    for version in 3...8 {
      let space = try test.vault(over: copy).openSpace(test.body, copyWindow: 0)
      try space.cover.prepareFiles()
      #expect(try space.pageBytes(1) == page(1, version: version == 3 ? 2 : version - 1))
      covers.insert(copy.names.count)
      try space.store(300_000)
      try space.commit([1: page(1, version: version)], pageCount: 1)
      try space.advanceEpoch()
      try space.retire(space.segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number))
      try space.close()
    }
    #expect(covers.count == 1)
  }
}

extension Space {
  fileprivate func coverName(_ range: CoverRange, _ counter: UInt64) -> SegmentIdentifier {
    keys.coverIdentifier(CoverFile(branch: range.branch, counter: counter))
  }

  /// Appends so many bytes.
  fileprivate func store(_ count: Int) throws(VaultError) {
    do {
      _ = try append(randomBytes(count))
    } catch let error as VaultError {
      throw error
    } catch {
      preconditionFailure("another error was thrown")
    }
  }
}
