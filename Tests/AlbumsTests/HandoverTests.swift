import AlbumsSupport
import Crypto
import FaultyStorage
import Index
import Library
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// A space gives up cover, to nobody or to a new space: no number changes, nobody loses anything, and who knows the
/// password of the space that gave it up cannot tell which it was.
@Suite struct HandoverTests {
  static let first = "the first password"
  static let owner = "the password of the owner"
  static let third = "the third password"
  /// What the owner is made for, and what it gives up.
  static let size: Int64 = 64 << 20
  static let part: Int64 = 12 << 20

  let storage: FaultyStorage
  let vault: Vault

  /// A first space without cover, and one that owns some and was used: several heads state how much, some of them among
  /// data that is live.
  init() throws {
    storage = FaultyStorage()
    vault = Vault(storage: storage, parameters: .cheap)
    try SpaceManager.addSpace(to: vault, password: .of(Self.first))
    try SpaceManager.addSpace(to: vault, password: .of(Self.owner), cover: Self.size)
    try use(Self.first) { try $0.put(pattern(500_000, 1), $0.make("f")) }
    for session in 0..<4 {
      try use(Self.owner) { files in
        for number in 0..<3 {
          try files.put(pattern(400_000, 10 * session + number), files.make("s\(session) \(number)"))
        }
        if session > 0 { try files.delete("s\(session - 1) 1") }
      }
    }
  }

  func vault(over storage: FaultyStorage) -> Vault { Vault(storage: storage, parameters: vault.parameters) }

  /// Calls `body` with the mounted file system of a password.
  func use(_ password: String, in vault: Vault? = nil, _ body: (FileSystem) throws -> Void) throws {
    try (vault ?? self.vault).use(.of(password), body)
  }

  /// Expects what `init` wrote.
  func expectAll(in vault: Vault, _ comment: Comment? = nil) throws {
    try use(Self.first, in: vault) { files in
      let content = try files.get(files.find("f").inode)
      #expect(isSame(content, pattern(500_000, 1)), comment)
    }
    try use(Self.owner, in: vault) { files in
      for session in 0..<4 {
        for number in 0..<3 where number != 1 || session == 3 {
          let content = try files.get(files.find("s\(session) \(number)").inode)
          #expect(isSame(content, pattern(400_000, 10 * session + number)), comment)
        }
      }
    }
  }

  func shrink(_ vault: Vault, by size: Int64 = part) throws(VaultError) {
    try SpaceManager.shrinkSpace(in: vault, password: .of(Self.owner), by: size, changeSink: Library.idle)
  }

  func addWithin(_ vault: Vault) throws(VaultError) {
    try SpaceManager.addSpace(
      to: vault, within: .of(Self.owner), password: .of(Self.third), cover: Self.part, changeSink: Library.idle)
  }

  /// Writes files of 300,000 bytes until there is no room; gives how many bytes.
  func fill(_ files: FileSystem, _ prefix: String = "full") throws -> Int64 {
    Int64(try files.fill("\(prefix) ", size: 300_000)) * 300_000
  }

  func expectFull(_ files: FileSystem, _ bytes: Int64, _ prefix: String = "full") throws {
    for number in 0..<Int(bytes / 300_000) {
      #expect(isSame(try files.get(files.find("\(prefix) \(number)").inode), pattern(300_000, number)))
    }
  }

  @Test func aSpaceLivesInTheCoverOfAnother() throws {
    let count = storage.names.count
    try addWithin(vault)
    #expect(storage.names.count == count)
    #expect(storage.names.allSatisfy { storage.content($0).count == TestVault.segmentSize })
    try expectAll(in: vault)
    // Both are filled until there is no room.
    var stored: [String: Int64] = [:]
    for password in [Self.third, Self.owner] {
      try use(password) { files in
        let own = try #require(files.space.capacity().ownBytes)
        #expect(try Int64(files.statistics().blocks) * 4096 <= own)
        let made = password == Self.third ? Self.part : Self.size - Self.part
        #expect(own < made + 2 * Int64(TestVault.segmentSize))
        let free = try Int64(files.statistics().availableBlocks) * 4096
        let written = try fill(files)
        #expect((free - 2 * Int64(TestVault.segmentSize)...free).contains(written))
        stored[password] = written
      }
      #expect(storage.names.count == count)
    }
    #expect(try #require(stored[Self.third]) >= Self.part - 4 << 20)
    for password in [Self.third, Self.owner] {
      try use(password) { try expectFull($0, #require(stored[password])) }
      let report = try SpaceManager.check(in: vault, password: .of(password), readData: true)
      #expect(report.problems == [] && report.notes == [])
    }
    try expectAll(in: vault)
    // After deleting there is room again in both.
    for password in [Self.third, Self.owner] {
      try use(password) { files in
        for number in 0..<Int(try #require(stored[password]) / 300_000) {
          try files.delete("full \(number)")
        }
        try files.synchronize()
        #expect(try fill(files, "again") > 4 << 20)
      }
    }
    #expect(storage.names.count == count)
    try expectAll(in: vault)
  }

  // MARK: Which it was

  /// Everything that the owner's keys open in a vault: segments, heads, and cover that the keys can make again.
  struct Sight: Equatable {
    var segments: Set<UInt64> = []
    /// The tables of all heads, dead ones too.
    var tables: [UInt32: OwnerTable] = [:]
    /// The lists of the newest head.
    var retired: [SegmentNumber: EpochNumber] = [:]
    var present: [EpochNumber: UInt64] = [:]
    var kept: [EpochNumber] = []
    /// Cover by range and counter, used or not, also behind the end of a range.
    var cover: Set<String> = []
    var slots = 0
    var count = 0
    var usable: Int64?
  }

  func sight(of storage: FaultyStorage) throws -> Sight {
    let vault = vault(over: storage)
    let space = try SpaceManager.openSpace(in: vault, password: .of(Self.owner), readOnly: true)
    let names = Set(storage.names)
    var sight = Sight(count: names.count, usable: space.capacity().ownBytes)
    let recovery = Recovery(context: space.log.context)
    for name in names {
      guard let handle = try SegmentHandle.open(storage.open(name), keys: space.keys) else { continue }
      sight.segments.insert(handle.number.rawValue)
      // Whatever it is called, and whether the state needs it.
      guard handle.number.index == 0, let head = try recovery.head(handle.number.epoch) else { continue }
      sight.tables[handle.number.epoch.rawValue] = head.state.owner
      if handle.number.epoch >= (sight.kept.last ?? EpochNumber(rawValue: 0)) {
        sight.kept = head.state.heads.map(\.epoch)
        sight.retired = head.state.retired
        sight.present = head.state.epochs.mapValues(\.present)
      }
    }
    for (index, range) in try #require(space.owner).cover.enumerated() {
      for counter in 0..<1000 {
        let name = space.keys.coverIdentifier(CoverFile(branch: range.branch, counter: UInt64(counter)))
        if names.contains(name) { sight.cover.insert("\(index) \(counter)") }
      }
    }
    sight.slots = try #require(space.owner).slots.count { names.contains($0) }
    return sight
  }

  @Test func nothingTellsWhetherASpaceWasAdded() throws {
    let before = try sight(of: storage)
    #expect(before.tables.count > 4)
    let (one, other) = (storage.after(.keepsAll), storage.after(.keepsAll))
    let count = storage.names.count
    try shrink(vault(over: one))
    try addWithin(vault(over: other))
    #expect(one.names.count == count && other.names.count == count)
    let (shrunk, added) = try (sight(of: one), sight(of: other))
    #expect(shrunk == added)

    // No head that opens states another number than the newest, or cover that is gone.
    let number = try #require(before.tables.values.first).fileCount - UInt64(vault.coverFiles(for: Self.part))
    #expect(!shrunk.tables.isEmpty && shrunk.tables.values.allSatisfy { $0.fileCount == number })
    for table in shrunk.tables.values { #expect(table.cover.reduce(0) { $0 + $1.end } == number) }
    #expect(shrunk.cover.count < before.cover.count)
    #expect(shrunk.count == before.count && shrunk.slots == before.slots)

    // What was there before and is there still, and what of that has other bytes.
    let left = [one, other].map { after in Set(storage.names).intersection(after.names) }
    #expect(left[0] == left[1])
    let changed = [one, other].map { after in Set(left[0].filter { storage.content($0) != after.content($0) }) }
    #expect(changed[0] == changed[1])
    for after in [one, other] {
      #expect(after.names.allSatisfy { after.content($0).count == TestVault.segmentSize })
      try expectAll(in: vault(over: after))
    }
    // Both again, after the owner was used.
    #expect(try sight(of: one) == sight(of: other))
  }

  /// A head of many pages goes on in further segments.
  @Test func partsOfHeadsInFurtherSegmentsGoToo() throws {
    let space = try vault.makeSpace(.of(Self.third), ownFiles: 120, copyWindow: 0).space
    // More names than fit into one segment.
    let long = (0..<90_000).map { _ in SegmentIdentifier(bytes: Sodium.randomBytes(16)) }
    try space.changeOwner { $0.slots += long }
    try space.changeOwner { $0.slots.removeLast(long.count) }
    try space.close()
    let parts = { () throws in
      let space = try SpaceManager.openSpace(in: vault, password: .of(Self.third), readOnly: true)
      return try space.cover.segmentsWithHeads(before: EpochNumber(rawValue: .max)).filter { $0.value.index > 0 }
    }
    let before = try parts()
    #expect(before.count == 1)
    // Damage may hide a part of a head.
    let part = try #require(before.first).key
    storage.failReads(of: part, from: SegmentFormat.recordsStart, .ioError)
    #expect(try parts()[part] == before[part])
    storage.failReads(of: part, nil)
    try SpaceManager.shrinkSpace(in: vault, password: .of(Self.third), by: 1, changeSink: Library.idle)
    #expect(try parts().isEmpty)
    let after = try SpaceManager.openSpace(in: vault, password: .of(Self.third))
    #expect(try SegmentHandle.open(storage.open(part), keys: after.keys) == nil)
  }

  // MARK: What is refused

  @Test func whatIsRefusedChangesNothing() throws {
    let before = storage.names
    let contents = before.map(storage.content)
    func expectRefusal(_ refusal: VaultError, _ body: () throws(VaultError) -> Void) {
      #expect(throws: refusal, performing: body)
      #expect(storage.names == before && storage.names.map(storage.content) == contents)
    }
    let most = try #require(throws: VaultError.self) { try shrink(vault, by: Self.size) }
    guard case .tooLittleUnused(let possible) = most else { throw most }
    #expect((20 << 20..<Self.size).contains(possible))
    for size in [Self.size, 1 << 60, .max] {
      expectRefusal(most) { () throws(VaultError) in try shrink(vault, by: size) }
    }
    for password in [Self.first, Self.owner] {
      expectRefusal(.passwordInUse) { () throws(VaultError) in
        try SpaceManager.addSpace(
          to: vault, within: .of(Self.owner), password: .of(password), cover: Self.part, changeSink: Library.idle)
      }
    }
    expectRefusal(most) { () throws(VaultError) in
      try SpaceManager.addSpace(
        to: vault, within: .of(Self.owner), password: .of(Self.third), cover: Self.size, changeSink: Library.idle)
    }
    expectRefusal(.noSpaceOpens) { () throws(VaultError) in
      try SpaceManager.addSpace(
        to: vault, within: .of("wrong"), password: .of(Self.third), cover: Self.part, changeSink: Library.idle)
    }
    let space = try SpaceManager.openSpace(in: vault, password: .of(Self.owner), readOnly: true)
    expectRefusal(.spaceInUse) { () throws(VaultError) in try shrink(vault) }
    expectRefusal(.spaceInUse) { () throws(VaultError) in try addWithin(vault) }
    // The key of the new password is derived, which takes long, before the owner is opened.
    expectRefusal(.passwordInUse) { () throws(VaultError) in
      try SpaceManager.addSpace(
        to: vault, within: .of(Self.owner), password: .of(Self.first), cover: Self.part, changeSink: Library.idle)
    }
    try space.close()
    #expect(throws: VaultError.self) {
      try SpaceManager.shrinkSpace(in: vault, password: .of(Self.first), by: 1, changeSink: Library.idle)
    }
    // As much as was said is possible.
    try shrink(vault, by: possible)
    #expect(storage.names.count == before.count)
    try expectAll(in: vault)
  }

  @Test func coverThatWasUsedIsNotGivenUp() throws {
    try use(Self.owner) { _ = try fill($0) }
    #expect(throws: VaultError.tooLittleUnused(0)) { try shrink(vault, by: 1) }
    #expect(throws: VaultError.tooLittleUnused(0)) { try addWithin(vault) }
    try shrink(vault, by: 0)
    try expectAll(in: vault)
  }

  @Test func damagedDataKeepsAHeadAndEverything() throws {
    let space = try SpaceManager.openSpace(in: vault, password: .of(Self.owner), readOnly: true)
    let index = try Index(space: space)
    let needed = Set(space.segments().map(\.number))
    // Data behind a head.
    let found = try space.cover.segmentsWithHeads(before: EpochNumber(rawValue: .max)).filter {
      needed.contains($0.value)
    }
    .compactMap { name, number in try index.extents.rows(in: number, after: nil, limit: 1).first.map { (name, $0) } }
    let (name, located) = try #require(found.first)
    try space.close()
    storage.flip(name, at: located.extent.position.offset + 1000)
    let count = storage.names.count
    #expect(throws: OwnCover.cannotMove) { try shrink(vault) }
    #expect(storage.names.count == count)
    let after = try SpaceManager.openSpace(in: vault, password: .of(Self.owner), readOnly: true)
    #expect(try #require(after.capacity().ownBytes) >= Self.size)
  }

  @Test(arguments: [true, false]) func aFullHostIsNoHindrance(adds: Bool) throws {
    let count = storage.names.count
    storage.fill()
    if adds { try addWithin(vault) } else { try shrink(vault) }
    #expect(storage.names.count == count)
    storage.setLimit(.max)
    try expectAll(in: vault)
    if !adds { return }
    try use(Self.third) { files in
      let names = try files.names(of: .root)
      #expect(names.isEmpty)
    }
  }

  @Test func whatGrewShrinks() throws {
    // Bounds the random number of files beside it.
    storage.setLimit(2 << 30)
    try SpaceManager.growSpace(in: vault, password: .of(Self.owner), by: 80 << 20)
    let count = storage.names.count
    for _ in 0..<2 { try shrink(vault) }
    #expect(storage.names.count == count)
    try expectAll(in: vault)
    try SpaceManager.growSpace(in: vault, password: .of(Self.owner), by: 40 << 20)
    try addWithin(vault)
    try expectAll(in: vault)
    for password in [Self.third, Self.owner] {
      try use(password) { files in
        let filled = try fill(files)
        #expect(filled > 8 << 20)
      }
    }
    try expectAll(in: vault)
  }
}
