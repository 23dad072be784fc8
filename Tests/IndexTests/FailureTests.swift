import FaultyStorage
import Index
import Testing
import Vault

/// Stores that fail, and transactions that SQLite ends.
@Suite struct FailureTests {
  /// Commits that the log does not take: all is read from memory, and the log gets everything with the first that it
  /// takes.
  @Test(arguments: 0..<6)
  func aLogThatTakesNothingForAWhile(refused: Int) throws {
    var random = SeededGenerator(seed: UInt64(refused) + 7)
    let (index, store) = try makeIndex()
    var model = NameModel()
    for _ in 0...refused {
      for _ in 0..<30 { try nest(index, &model, &random) }
      try index.commit()
      #expect(index.unlogged != nil && !index.hasChanges)
      #expect(try contents(index) == model)
    }
    try expectClean(index)
    #expect(store.commitCount == 1)
    // What is committed while the log takes a state is left for the next.
    let taken = try #require(index.unlogged)
    for _ in 0..<30 { try nest(index, &model, &random) }
    try index.commit()
    index.noteLogged(taken)
    #expect(index.unlogged != nil)
    store.take(index)
    #expect(index.unlogged == nil)
  }

  /// The log's states follow each other without a gap, whatever was committed between.
  @Test func laterStatesAreWhole() throws {
    var random = SeededGenerator(seed: 99)
    let (index, store) = try makeIndex()
    var model = NameModel()
    for round in 0..<40 {
      for _ in 0..<10 { try nest(index, &model, &random) }
      try index.commit()
      guard round % 3 == 2 else { continue }
      store.take(index)
      let again = try Index(space: MemoryPageStore(try #require(store.history.last)))
      #expect(try contents(again) == model)
      try expectClean(again)
    }
    #expect(store.history.dropFirst().allSatisfy { $0.isComplete })
  }

  /// SQLite ends the transaction in the middle of an operation: nothing after that gets in, even where the error was
  /// swallowed.
  @Test(arguments: [false, true])
  func lostInTheMiddle(inNestedSavepoint: Bool) throws {
    var random = SeededGenerator(seed: 9)
    let (index, store) = try makeIndex()
    var model = NameModel()
    for _ in 0..<100 { try change(index, &model, &random) }
    try index.commit(to: store)
    let committed = model
    let extent = ExtentRecord(offset: .zero, length: 9, position: LogPosition(rawValue: 1 << 32), recordLength: 9)
    try index.extents.insertExtent(extent, of: .root)
    try index.connection.execute("PRAGMA max_page_count = \(store.databasePageCount + 2)")
    do throws(IndexError) {
      try index.withSavepoint { () throws(IndexError) in
        var lost = false
        for _ in 0..<100_000 where !lost {
          do throws(Cancelled) {
            try inNestedSavepoint ? nest(index, &model, &random) : change(index, &model, &random)
          } catch {
            lost = true
            #expect(error == .index(.transactionLost))
          }
        }
        #expect(lost && index.isReadOnly)
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
    #expect(throws: IndexError.readOnly) { try index.commit(to: store) }
    #expect(store.commitCount == 2)
  }

  /// A page that cannot be read costs the operations that need it, and no others.
  @Test func damagedPages() throws {
    var random = SeededGenerator(seed: 3)
    let (index, store) = try makeIndex()
    var model = NameModel()
    for _ in 0..<4000 { try change(index, &model, &random) }
    try index.commit(to: store)
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
    try opened.commit(to: store)
    store.damage([])
    #expect(try contents(opened) == changed)
    try expectClean(opened)
    let again = try Index(space: store)
    #expect(try contents(again) == changed)
    try expectClean(again)
  }
}
