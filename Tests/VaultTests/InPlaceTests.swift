import FaultyStorage
import Storage
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Vault

/// New segments of a space that owns cover are written in the place of files that nothing needs.
@Suite struct InPlaceTests {
  let test: TestSpace
  var storage: FaultyStorage { test.storage }

  init() throws { test = try .owningCover(version: 1) }

  /// Neither cover nor dead segments nor heads make another file.
  @Test func noFileIsMadeOrDeleted() throws {
    let before = try storage.fileBirths
    for round in 2..<40 {
      _ = try test.space.append(randomBytes(600_000, seed: UInt64(round)))
      try test.space.commit([1: page(1, version: round)], pageCount: 1)
      try test.space.retire(test.space.segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number))
      try test.space.advanceEpoch()
      #expect(try storage.fileBirths == before)
    }
    #expect(try #require(test.space.owner).coverCount == 0)
    try test.space.close()
    #expect(try storage.fileBirths == before)
    #expect(storage.names.allSatisfy { storage.content($0).count == TestSpace.segmentSize })
    #expect(try test.vault.openSpace(test.body).pageBytes(1) == page(1, version: 39))
  }

  /// A file that somebody has linked is left alone, wherever it is in the order.
  @Test func aFileWithAnotherNameKeepsItsBytes() throws {
    let range = try #require(test.space.owner?.cover.first)
    let name = test.space.keys.coverIdentifier(CoverFile(branch: range.branch, counter: range.first))
    storage.link(name)
    let file = try storage.open(name)
    let content = storage.content(name)
    _ = try test.space.append(randomBytes(900_000))
    _ = try test.space.append(randomBytes(900_000))
    #expect(storage.names.count == TestSpace.ownFiles && !storage.names.contains(name))
    #expect(try file.bytes(at: 0, count: content.count + 1) == content)
  }

  /// Until it is durable, a head has the name of the file that it displaces: no crash leaves one that cannot be read.
  @Test func aHeadIsNamedWhenItIsDurable() throws {
    var refused = 0
    for operation in TestLength.sample(1...12, 6) {
      let crashing = storage.after(.keepsAll)
      let space = try test.vault(over: crashing).openSpace(test.body, acceptOlder: true, copyWindow: 0)
      try space.commit([1: page(1, version: 2)], pageCount: 1)
      try space.sync()
      crashing.inject(.cut(at: crashing.operationCount + operation))
      do throws(VaultError) { try space.advanceEpoch() } catch { refused += 1 }
      for cut in [.keepsAll, .losesAll] + (1...4).map({ PowerCut.mixed(seed: $0) }) {
        let after = crashing.after(cut)
        let again = try test.vault(over: after).openSpace(test.body, acceptOlder: true, copyWindow: 0)
        #expect(again.origin.warning == nil, "operation \(operation)")
        #expect(try again.pageBytes(1) == page(1, version: 2))
        #expect(after.names.count == TestSpace.ownFiles)
        try again.close()
      }
    }
    #expect(refused > (TestLength.isWhole ? 2 : 0))
  }

  /// A crash before a head, or a slot, has its name leaves its bytes in cover, and others may complete them. The next
  /// mount writes the cover again: a backup would keep the bytes of before otherwise.
  @Test func coverThatACrashLeftWithOtherBytesIsWrittenAgain() throws {
    let own = { (storage: FaultyStorage) in
      let space = try test.vault(over: storage).openSpace(test.body, acceptOlder: true, copyWindow: 0)
      try space.restoreFileCount()
      return space
    }
    var disturbed = 0
    for operation in 1...12 {
      let crashing = storage.after(.keepsAll)
      let space = try test.vault(over: crashing).openSpace(test.body, acceptOlder: true, copyWindow: 0)
      crashing.inject(.cut(at: crashing.operationCount + operation))
      try? space.advanceEpoch()
      let name = SegmentIdentifier(bytes: randomBytes(SegmentIdentifier.size))
      try? space.putFile(name, content: randomBytes(TestSpace.segmentSize))
      let after = crashing.after(.keepsAll)
      for name in after.names where after.content(name).count < TestSpace.segmentSize {
        try after.fill(name, size: TestSpace.segmentSize)
        disturbed += 1
      }
      let again = try own(after)
      let table = try #require(again.owner)
      for file in table.cover.flatMap({ range in
        (range.first..<range.end).map { CoverFile(branch: range.branch, counter: $0) }
      }) {
        let name = again.keys.coverIdentifier(file)
        #expect(again.holdsCover(name), "operation \(operation), file \(file.counter)")
      }
      try again.close()
    }
    #expect(disturbed > 0)
  }

  /// While a head has the name of the file that it displaces, nobody takes that for one that a crash left short.
  @Test func aHeadThatHasNoNameYetIsNoShortFile() throws {
    try test.space.commit([1: page(1, version: 2)], pageCount: 1)
    let (space, storage) = (test.space, storage)
    let looked = Mutex(0)
    storage.whenWritten {
      if space.completeShortFiles() { looked.withLock { $0 += 1 } }
    }
    try space.advanceEpoch()
    storage.whenWritten(nil)
    #expect(looked.withLock { $0 } > 0)
    try space.commit([1: page(1, version: 3)], pageCount: 1)
    try space.close()
    #expect(try test.vault.openSpace(test.body).pageBytes(1) == page(1, version: 3))
    #expect(storage.names.count == TestSpace.ownFiles)
  }

  /// A copy program that reads a file while it is overwritten gets bytes from before in the middle of it.
  @Test func aCopyWithAHoleIsAnOlderState() throws {
    let first = storage.copy()
    #expect(try test.vault(over: first).openSpace(test.body, acceptOlder: true).pageBytes(1) == page(1, version: 1))
    for version in 2...4 {
      for seed in 0..<6 as Range<UInt64> { _ = try test.space.append(randomBytes(100_000, seed: seed)) }
      try test.space.commit([1: page(1, version: version)], pageCount: 1)
      try test.space.advanceEpoch()
    }
    let copy = storage.copy()
    // In the middle of the last whole segment are bytes from before.
    let whole = try #require(
      test.space.segmentFiles().last { copy.content($0.identifier).count == TestSpace.segmentSize }?.identifier)
    copy.tamper(whole) { content in
      content[..<200_000] + randomBytes(300_000, seed: 9) + content[500_000...]
    }
    let space = try test.vault(over: copy).openSpace(test.body)
    #expect(space.origin.warning?.contains("incomplete") == true)
    #expect(try [2, 3].map { page(1, version: $0) }.contains(space.pageBytes(1)))
  }
}
