import FaultyStorage
import Storage
import SystemPackage
import Testing

@testable import Vault

/// Crashes and full hosts while files are overwritten.
@Suite struct InPlaceFailureTests {
  let test: TestSpace
  var storage: FaultyStorage { test.storage }

  init() throws { test = try .owningCover(version: 1) }

  private var shortFiles: Int { storage.names.count { storage.content($0).count != TestSpace.segmentSize } }

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

  /// Uses all cover, until a dead head is displaced next.
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

  @Test func aHeadInThePlaceOfADeadHeadIsWithdrawn() throws {
    try useUp()
    var refused = 0
    for operation in [1, 2, 4] {
      storage.inject(.error(.noSpace, at: storage.operationCount + operation))
      do throws(VaultError) { try test.space.advanceEpoch() } catch { refused += 1 }
      storage.inject(nil)
      #expect(!test.space.isReadOnly, "operation \(operation)")
      try test.space.commit([1: page(1, version: operation)], pageCount: 1)
      try test.space.advanceEpoch()
      #expect(storage.names.count == TestSpace.ownFiles && shortFiles == 1, "operation \(operation)")
    }
    #expect(refused > 0)
  }

  @Test func aHeadInThePlaceOfADeadHeadIsCut() throws {
    try useUp()
    for operation in 1...8 {
      let crashing = storage.after(.keepsAll)
      let space = try test.vault(over: crashing).openSpace(test.body, acceptOlder: true, copyWindow: 0)
      try space.commit([1: page(1, version: 2)], pageCount: 1)
      try space.sync()
      crashing.inject(.cut(at: crashing.operationCount + operation))
      try? space.advanceEpoch()
      let after = crashing.after(.keepsAll)
      let again = try test.vault(over: after).openSpace(test.body, acceptOlder: true, copyWindow: 0)
      let short = after.names.count { after.content($0).count != TestSpace.segmentSize }
      #expect(after.names.count == TestSpace.ownFiles && short == 0, "operation \(operation)")
      for version in 3...5 {
        try again.commit([1: page(1, version: version)], pageCount: 1)
        try again.advanceEpoch()
      }
      try again.close()
      #expect(after.names.count == TestSpace.ownFiles, "operation \(operation)")
    }
  }

  /// A full folder takes no name; the head is given up, and its file is whole again.
  @Test func aHostWithoutRoomForNamesIsFull() throws {
    // Taking the file, writing the head, and renaming it after the flush.
    for operation in [1, 2, 4] {
      let host = storage.after(.keepsAll)
      let space = try test.vault(over: host).openSpace(test.body, acceptOlder: true, copyWindow: 0)
      try space.commit([1: page(1, version: 2)], pageCount: 1)
      try space.sync()
      host.inject(.error(.noSpace, at: host.operationCount + operation))
      try? space.advanceEpoch()
      #expect(!space.isReadOnly, "operation \(operation)")
      try space.commit([1: page(1, version: 3)], pageCount: 1)
      try space.close()
      #expect(host.names.count == TestSpace.ownFiles)
      #expect(host.names.allSatisfy { host.content($0).count == TestSpace.segmentSize }, "operation \(operation)")
    }
  }

  /// A check shows what damage there is in a copy, and a mount an older state.
  @Test func aCheckOfACopyWithAHoleShowsTheNewestState() throws {
    for version in 2...4 {
      for seed in 0..<6 as Range<UInt64> { _ = try test.space.append(randomBytes(100_000, seed: seed)) }
      try test.space.commit([1: page(1, version: version)], pageCount: 1)
      try test.space.advanceEpoch()
    }
    let copy = storage.copy()
    let whole = try #require(
      test.space.segmentFiles().last { copy.content($0.identifier).count == TestSpace.segmentSize }?.identifier)
    copy.tamper(whole) { $0[..<200_000] + randomBytes(300_000, seed: 9) + $0[500_000...] }
    let space = try test.vault(over: copy).openSpace(test.body, scanning: true)
    #expect(try space.pageBytes(1) == page(1, version: 4))
    #expect(space.verify(readData: true).count == 1)
  }
}
