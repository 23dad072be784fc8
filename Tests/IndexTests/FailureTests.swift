import FaultyStorage
import Index
import Testing
import Vault

/// Stores that fail, and transactions that SQLite ends.
@Suite struct FailureTests {
  /// The n-th commit fails: the change is gone, the index says so and refuses more, and everything shows the commit before.
  @Test(arguments: 0..<6, [VaultError.noSpace, .readOnly("flush failed")])
  func failingStore(good: Int, failure: VaultError) throws {
    var random = SeededGenerator(seed: UInt64(good) + 7)
    let (index, store) = try makeIndex()
    store.failCommits(after: good, with: failure)
    var model = NameModel()
    var committed = NameModel()
    for round in 0...good {
      for _ in 0..<30 { try nest(index, &model, &random) }
      try index.insertExtent(
        ExtentRecord(
          offset: FileOffset(round * 10), length: 10, position: LogPosition(rawValue: 1 << 32), recordLength: 10),
        of: .root)
      if round < good {
        try index.commit()
        committed = model
      }
    }
    #expect(throws: IndexError.transactionLost) { try index.commit() }
    #expect(index.isReadOnly && !index.hasChanges)
    #expect(index.lastStoreError == failure)
    #expect(try contents(index) == committed)
    #expect(index.totalLiveBytes == Int64(good * 10))
    try expectClean(index)
    #expect(throws: IndexError.readOnly) { try index.insert(.file(index.nextInodeNumber())) }
    #expect(throws: Cancelled.index(.readOnly)) { try index.withSavepoint { () throws(Cancelled) in } }
    #expect(throws: IndexError.readOnly) { try index.commit() }
    #expect(try contents(index) == committed)
    #expect(store.commitCount == good + 1)
    let again = try Index(space: MemoryPageStore(try #require(store.history.last)))
    #expect(try contents(again) == committed)
  }

  /// SQLite ends the transaction in the middle of an operation: nothing after that gets in, even where the error was swallowed.
  @Test(arguments: [false, true])
  func lostInTheMiddle(inNestedSavepoint: Bool) throws {
    var random = SeededGenerator(seed: 9)
    let (index, store) = try makeIndex()
    var model = NameModel()
    for _ in 0..<100 { try change(index, &model, &random) }
    try index.commit()
    let committed = model
    let extent = ExtentRecord(offset: .zero, length: 9, position: LogPosition(rawValue: 1 << 32), recordLength: 9)
    try index.insertExtent(extent, of: .root)
    try index.connection.execute("PRAGMA max_page_count = \(store.databasePageCount + 2)")
    do throws(IndexError) {
      try index.withSavepoint { () throws(IndexError) in
        var lost = false
        while !lost {
          do throws(Cancelled) {
            if inNestedSavepoint {
              try nest(index, &model, &random)
            } else {
              try change(index, &model, &random)
            }
          } catch {
            lost = true
            #expect(error == .index(.transactionLost))
          }
        }
        #expect(index.isReadOnly)
        #expect(throws: IndexError.transactionLost) { try index.insert(.file(index.nextInodeNumber())) }
        #expect(throws: Cancelled.index(.transactionLost)) {
          try index.withSavepoint { () throws(Cancelled) in Issue.record("a savepoint without a transaction") }
        }
        #expect(throws: IndexError.transactionLost) { try index.setMeta("x", to: 1) }
      }
      Issue.record("a savepoint that was lost was kept")
    } catch {
      #expect(error == .transactionLost)
    }
    #expect(try contents(index) == committed)
    #expect(index.totalLiveBytes == 0)
    try expectClean(index)
    #expect(throws: IndexError.readOnly) { try index.setMeta("x", to: 1) }
    #expect(throws: IndexError.readOnly) { try index.commit() }
    #expect(store.commitCount == 2)
  }

  /// A page that cannot be read costs the operations that need it, and no others.
  @Test func damagedPages() throws {
    var random = SeededGenerator(seed: 3)
    let (index, store) = try makeIndex()
    var model = NameModel()
    for _ in 0..<4000 { try change(index, &model, &random) }
    try index.commit()
    let opened = try Index(space: store)
    store.damage(Set((20..<60).map { PageNumber(rawValue: $0) }))
    var kept = model.entries
    var refused = 0
    for (name, inode) in model.entries {
      do throws(IndexError) {
        try opened.withSavepoint { () throws(IndexError) in
          try opened.deleteInode(inode)
          try opened.deleteDentry(parent: .root, name: name)
        }
        kept.removeAll { $0.value == inode }
      } catch {
        #expect(error == .damaged)
        refused += 1
      }
      if refused > 50 { break }
    }
    #expect(refused > 50)
    #expect(kept.count < model.entries.count)
    let changed = NameModel(entries: kept)
    #expect(!opened.isReadOnly)
    #expect(opened.lastStoreError != nil)
    try opened.commit()
    store.damage([])
    #expect(try contents(opened) == changed)
    try expectClean(opened)
    let again = try Index(space: store)
    #expect(try contents(again) == changed)
    try expectClean(again)
  }
}
