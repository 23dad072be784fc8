import Testing
import Vault

@testable import Index

@Suite struct CatalogTableTests {
  @Test func everyColumnComesBack() throws {
    let (index, store) = try makeIndex()
    let full = ItemRecord.full(5)
    let empty = ItemRecord(inode: InodeNumber(rawValue: 6))
    try index.catalog.setItem(full, words: "one two", tags: [1, 2], replacing: [])
    try index.catalog.setItem(empty, words: "", tags: [], replacing: [])
    try index.commit(to: store)
    let opened = try Index(space: store)
    #expect(try opened.catalog.item(full.inode) == full)
    #expect(try opened.catalog.item(empty.inode) == empty)
    #expect(try opened.catalog.items(after: full.inode, limit: 9) == [empty])
    #expect(try opened.catalog.items(withLook: .min, limit: 9) == [full])
    #expect(try opened.catalog.itemCount() == 2)
    try expectClean(opened)
  }

  /// What is stored in place of a row leaves nothing of it behind, and neither does what is deleted.
  @Test func tagsAndWordsFollowTheRow() throws {
    let (index, store) = try makeIndex()
    func found(_ word: String) throws -> [Int64] {
      let find = try index.connection.prepare("SELECT rowid FROM words WHERE words MATCH ?1")
      return try find.bind(word).rows { (row) throws(IndexError) in row.integer(0) }
    }
    func tags() throws -> [[Int64]] {
      try index.connection.prepare("SELECT tag, inode FROM item_tag ORDER BY 1, 2").rows { (row) throws(IndexError) in
        [row.integer(0), row.integer(1)]
      }
    }
    let one = ItemRecord.full(5)
    try index.catalog.setItem(one, words: "red green", tags: [1, 2], replacing: [])
    try index.catalog.setItem(one, words: "green blue", tags: [2, 3], replacing: [1, 2])
    try index.commit(to: store)
    #expect(try found("red").isEmpty)
    #expect(try found("blue") == [5])
    #expect(try tags() == [[2, 5], [3, 5]])
    try index.catalog.deleteItem(one.inode, tags: [2, 3])
    #expect(try found("green").isEmpty)
    #expect(try tags().isEmpty)
    #expect(try index.catalog.item(one.inode) == nil)
    try index.commit(to: store)
    try expectClean(index)
  }

  /// A change that is rolled back leaves the full-text index as it was.
  @Test func wordsRollBack() throws {
    let (index, store) = try makeIndex()
    try index.catalog.setItem(.full(5), words: "red", tags: [], replacing: [])
    #expect(throws: Cancelled.self) {
      try index.withSavepoint { () throws(Cancelled) in
        do throws(IndexError) {
          try index.catalog.setItem(.full(5), words: "blue", tags: [7], replacing: [])
        } catch {
          throw .index(error)
        }
        throw .onPurpose
      }
    }
    try index.commit(to: store)
    let find = try Index(space: store).connection.prepare("SELECT text FROM words WHERE words MATCH 'red'")
    #expect(try find.rows { (row) throws(IndexError) in row.text(0) } == ["red"])
  }

  @Test func termsAreMadeOnce() throws {
    let (index, _) = try makeIndex()
    let tag = try index.catalog.makeTerm(.tag, "sea")
    #expect(try index.catalog.makeTerm(.tag, "sea") == tag)
    let person = try index.catalog.makeTerm(.person, "sea")
    #expect(person != tag)
    #expect(try index.catalog.text(ofTerm: tag) == "sea")
    #expect(try index.catalog.term(.lens, "sea") == nil)
    #expect(try index.catalog.terms(.tag).map(\.text) == ["sea"])
  }

  @Test func reasonsAddUp() throws {
    let (index, _) = try makeIndex()
    let file = InodeNumber(rawValue: 5)
    try index.catalog.addStale(file, .merge)
    try index.catalog.addStale(file, .look)
    #expect(try index.catalog.stale(for: .look, limit: 9).map(\.reason) == [[.merge, .look]])
    try index.catalog.removeStale(file, .look)
    #expect(try index.catalog.stale(for: .look, limit: 9).isEmpty)
    #expect(try index.catalog.stale(for: .merge, limit: 9).map(\.inode) == [file])
    try index.catalog.removeStale(file, [.merge, .match])
    #expect(try index.catalog.stale(for: [.merge, .look, .match, .read], limit: 9).isEmpty)
  }

  @Test func allNamesOfAnInode() throws {
    let (index, _) = try makeIndex()
    let file = InodeNumber(rawValue: 5)
    for (parent, text, cookie) in [(3, "b", 3), (1, "z", 4), (3, "a", 5)] {
      let entry = DentryRecord(name: try name(text), inode: file, kind: 8, cookie: UInt64(cookie))
      try index.insertDentry(parent: InodeNumber(rawValue: UInt64(parent)), entry)
    }
    let found = try index.catalog.names(of: file, limit: 9).map { "\($0.parent.rawValue)\($0.name)" }
    #expect(found == ["1z", "3a", "3b"])
  }

  /// Photos and videos without a row, or with one of older facts; other files never.
  @Test func whatWasNeverAsked() throws {
    let (index, _) = try makeIndex()
    let states: [MediaRecord.State] = [.known, .pending, .failed, .other, .known, .known]
    for (place, state) in states.enumerated() {
      try index.media.setMedia(MediaRecord(inode: InodeNumber(rawValue: UInt64(place + 10)), state: state))
    }
    try index.catalog.setItem(.full(14), words: "", tags: [], replacing: [])
    var old = ItemRecord.full(15)
    old.version = 0
    try index.catalog.setItem(old, words: "", tags: [], replacing: [])
    var found: [UInt64] = []
    var last: InodeNumber?
    while let batch = try index.catalog.mediaWithoutItem(after: last, version: 1, limit: 2) {
      found += batch.inodes.map(\.rawValue)
      last = batch.last
    }
    #expect(found == [10, 12, 15])
  }

  /// An index of the schema before has no catalog; one that may be written gets it, and it stays.
  @Test func anOlderIndexGetsTheCatalog() throws {
    let (new, store) = try makeIndex()
    let file = InodeNumber(rawValue: 5)
    try new.insertDentry(parent: .root, DentryRecord(name: try name("a"), inode: file, kind: 8, cookie: 3))
    let tables = ["item", "item_tag", "term", "sidecar", "stale", "words"].map { "TABLE " + $0 }
    for what in tables + ["INDEX dentry_inode", "INDEX dentry_directory"] {
      try new.withSavepoint { () throws(IndexError) in try new.connection.execute("DROP " + what) }
    }
    try new.setMeta("schema", to: 2)
    try new.commit(to: store)

    let old = try Index(space: store)
    #expect(!old.hasCatalog)
    #expect(try old.dentry(parent: .root, name: try name("a"))?.inode == file)
    #expect(try old.catalog.stale(for: .merge, limit: 9).isEmpty)
    try old.catalog.addStale(file, .merge)
    #expect(throws: IndexError.readOnly) { try old.catalog.item(file) }
    try old.catalog.addCatalog()
    try old.catalog.addCatalog()
    try old.commit(to: store)
    #expect(try old.catalog.names(of: file, limit: 9).count == 1)

    let upgraded = try Index(space: store)
    #expect(upgraded.hasCatalog)
    try upgraded.catalog.setItem(.full(5), words: "a", tags: [], replacing: [])
    try upgraded.commit(to: store)
    try expectClean(upgraded)
  }
}
