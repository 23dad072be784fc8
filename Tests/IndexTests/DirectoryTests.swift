import FaultyStorage
import Index
import TestSupport
import Testing
import Vault

/// Directory entries and inodes.
@Suite struct DirectoryTests {
  private func add(_ text: String, _ index: Index) throws -> DentryRecord {
    let entry = DentryRecord(name: try name(text), inode: index.nextInodeNumber(), kind: 8, cookie: index.nextCookie())
    try index.insert(.file(entry.inode))
    try index.insertDentry(parent: .root, entry)
    return entry
  }

  private func list(_ index: Index, after cookie: UInt64 = 0, limit: Int = .max) throws -> [DentryRecord] {
    var entries: [DentryRecord] = []
    try index.forEachDentry(parent: .root, after: cookie) { entry in
      entries.append(entry)
      return entries.count < limit
    }
    return entries
  }

  /// A listing that stops and goes on sees every entry that stays exactly once, whatever comes and goes in between.
  @Test(arguments: TestLength.seedArguments(4))
  func listingsGoOn(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (index, _) = try makeIndex()
    var stays: Set<FileName> = []
    var goes: [FileName] = []
    for number in 0..<400 {
      let entry = try add("file \(number)", index)
      if random.oneIn(3) { goes.append(entry.name) } else { stays.insert(entry.name) }
    }
    var seen: [FileName] = []
    var cookie: UInt64 = 0
    var rounds = Rounds(until: "the listing ended")
    while true {
      try rounds.begin()
      let some = try list(index, after: cookie, limit: 7)
      guard let last = some.last else { break }
      seen += some.map(\.name)
      cookie = last.cookie
      if let name = goes.popLast() { try index.deleteDentry(parent: .root, name: name) }
      if random.oneIn(2), seen.count < 500 { _ = try add("new \(seen.count)", index) }
      if random.oneIn(9) { try index.commit() }
    }
    #expect(Set(seen).count == seen.count)
    #expect(stays.subtracting(seen).isEmpty)
    try expectClean(index)
  }

  /// An entry keeps its cookie across commits and openings, and a number or cookie is not given again.
  @Test func cookiesStay() throws {
    let (index, store) = try makeIndex()
    let entries = try (0..<50).map { try add("file \($0)", index) }
    #expect(entries.allSatisfy { $0.cookie >= 3 })
    try index.deleteDentry(parent: .root, name: entries[49].name)
    try index.deleteInode(entries[49].inode)
    try index.commit(to: store)
    let again = try Index(space: store)
    #expect(try list(again) == entries.dropLast())
    #expect(again.nextCookie() > entries[49].cookie)
    #expect(again.nextInodeNumber() > entries[49].inode)
    #expect(again.inodeCount == 50)
  }

  @Test func replacesAndDeletes() throws {
    let (index, _) = try makeIndex()
    let old = try add("a", index)
    let other = try add("b", index)
    #expect(throws: IndexError.self) { try index.insertDentry(parent: .root, old) }
    var new = old
    new.inode = other.inode
    new.kind = 4
    new.cookie = index.nextCookie()
    try index.replaceDentry(parent: .root, new)
    #expect(try index.dentry(parent: .root, name: old.name) == new)
    #expect(try list(index) == [other, new])
    #expect(try index.names(of: [other.inode]).map(\.name) == [old.name, other.name])
    #expect(try index.isDirectoryEmpty(.root) == false)
    #expect(try index.deleteDentry(parent: .root, name: old.name))
    #expect(try !index.deleteDentry(parent: .root, name: old.name))
    try index.replaceDentry(parent: .root, old)
    #expect(try list(index, after: 0).first == old)
    for name in [old.name, other.name] { try index.deleteDentry(parent: .root, name: name) }
    #expect(try index.isDirectoryEmpty(.root))
    try expectClean(index)
  }

  @Test func keepsAllFields() throws {
    let (index, store) = try makeIndex()
    var inode = InodeRecord(
      number: index.nextInodeNumber(), mode: 0o120777, links: .max, owner: .max, group: .max - 1, device: .max,
      size: Space.maximumFileSize, allocated: 12, time: Timestamp(seconds: -5, nanoseconds: 999_999_999), parent: .root,
      hasExtendedAttributes: true, target: [0xFF, 0x2F, 0])
    inode.modified = Timestamp(seconds: .max, nanoseconds: 1)
    inode.changed = Timestamp(seconds: .min, nanoseconds: 2)
    inode.born = Timestamp(seconds: 0, nanoseconds: 3)
    try index.insert(inode)
    #expect(throws: IndexError.self) { try index.insert(inode) }
    try index.commit(to: store)
    let again = try Index(space: store)
    #expect(try again.inode(inode.number) == inode)
    #expect(inode.kind == 10)
    inode.parent = nil
    inode.target = []
    inode.hasExtendedAttributes = false
    inode.links = 0
    try again.update(inode)
    #expect(try again.inode(inode.number) == inode)
    inode.number = InodeNumber(rawValue: .max)
    #expect(throws: IndexError.damaged) { try again.update(inode) }
    #expect(again.inodeCount == 2)
    try again.deleteInode(InodeNumber(rawValue: 2))
    try again.deleteInode(InodeNumber(rawValue: 2))
    #expect(again.inodeCount == 1)
    try expectClean(again)
  }

  @Test func findsDirectories() throws {
    let (index, _) = try makeIndex()
    #expect(try index.entry(ofDirectory: .root) == nil)
    var record = InodeRecord.file(index.nextInodeNumber())
    record.mode = 0o40755
    record.parent = .root
    let entry = DentryRecord(name: try name("album"), inode: record.number, kind: 4, cookie: index.nextCookie())
    try index.insert(record)
    try index.insertDentry(parent: .root, entry)
    #expect(try index.entry(ofDirectory: record.number) == LocatedDentry(parent: .root, entry: entry))
    let root = try #require(try index.inode(.root))
    #expect(root.mode == 0o40755 && root.links == 2 && root.owner == 1000 && root.group == 100)
  }

  /// An entry whose inode is gone is damage, not an empty place.
  @Test func missingInodeIsDamage() throws {
    let (index, _) = try makeIndex()
    let entry = try add("a", index)
    try index.deleteInode(entry.inode)
    #expect(throws: IndexError.damaged) { try index.dentryWithInode(parent: .root, name: entry.name) }
    #expect(throws: IndexError.damaged) { try index.forEachDentryWithInode(parent: .root, after: 0) { _, _ in true } }
  }
}
