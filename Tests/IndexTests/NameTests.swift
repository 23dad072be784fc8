import Index
import Testing
import Vault

/// Names are bytes.
@Suite struct NameTests {
  @Test func refusesWhatIsNoName() {
    #expect(FileName([]) == nil)
    #expect(FileName([UInt8](repeating: 0x61, count: 256)) == nil)
    #expect(FileName([UInt8](repeating: 0x61, count: 255))?.count == 255)
    #expect(FileName("a/b") == nil)
    #expect(FileName([0x61, 0]) == nil)
    #expect(FileName([0xFF]) != nil)
  }

  @Test func describesForPeople() throws {
    #expect(try name("Ferien é 猫.jpg").description == "Ferien é 猫.jpg")
    #expect(try name("a\\b").description == "a\\\\b")
    #expect(try name("line\n").description == "line\\x0A")
    #expect(try name("\u{202E}gpj").description == "\\xE2\\x80\\xAEgpj")
    #expect(FileName([0x61, 0xFF, 0x62])?.description == "a\\xFFb")
    #expect(FileName([0xE7, 0x8C])?.description == "\\xE7\\x8C")
    #expect(FileName([0xC3, 0xA9, 0xC3])?.description == "é\\xC3")
  }

  /// Names that Swift's String would take for one, or would not take at all, are different entries and come back as
  /// they were.
  @Test func keepsBytes() throws {
    let (index, store) = try makeIndex()
    let names = [
      try name("é"), try name("e\u{301}"), try #require(FileName([0xFF])), try #require(FileName([0x66, 0xFE, 0x6F])),
      try name("A"), try name("a"), try name(" "), try #require(FileName([UInt8](repeating: 0xC3, count: 255))),
    ]
    #expect(Set(names).count == names.count)
    for (number, name) in names.enumerated() {
      let inode = index.nextInodeNumber()
      try index.insert(.file(inode, size: Int64(number)))
      try index.insertDentry(parent: .root, DentryRecord(name: name, inode: inode, kind: 8, cookie: index.nextCookie()))
    }
    try index.commit(to: store)
    let again = try Index(space: store)
    var listed: [FileName] = []
    try again.forEachDentryWithInode(parent: .root, after: 0) { entry, inode in
      #expect(entry.inode == inode.number)
      listed.append(entry.name)
      return true
    }
    #expect(listed == names)
    for (number, name) in names.enumerated() {
      let found = try #require(try again.dentryWithInode(parent: .root, name: name))
      #expect(found.0.name == name)
      #expect(found.1.size == Int64(number))
      #expect(try again.dentry(parent: .root, name: name) == found.0)
    }
    #expect(try again.dentry(parent: .root, name: name("E")) == nil)
    try expectClean(again)
  }
}
