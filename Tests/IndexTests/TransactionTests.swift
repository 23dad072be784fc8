import Index
import Testing
import Vault

/// Commits, savepoints, and stores that fail.
@Suite struct TransactionTests {
  /// What the tests look at: names and their inodes. A dictionary would give another random element in each run.
  private struct Model: Equatable {
    var entries: [(key: FileName, value: InodeNumber)] = []
    var table: [FileName: InodeNumber] { Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) }) }

    static func == (left: Self, right: Self) -> Bool { left.table == right.table }
  }

  private func contents(_ index: Index) throws -> Model {
    let found = try index.dentries(after: nil, limit: .max)
    #expect(try index.inodes(after: .root, limit: .max).map(\.number) == found.map(\.entry.inode).sorted())
    #expect(index.inodeCount == Int64(found.count + 1))
    return Model(entries: found.map { ($0.entry.name, $0.entry.inode) })
  }

  private func change(_ index: Index, _ model: inout Model, _ random: inout SeededRandom) throws(Cancelled) {
    do throws(IndexError) {
      if let place = model.entries.indices.randomElement(using: &random), random.oneIn(3) {
        let entry = model.entries[place]
        try index.deleteDentry(parent: .root, name: entry.key)
        try index.deleteInode(entry.value)
        model.entries.swapAt(place, model.entries.count - 1)
        model.entries.removeLast()
      } else {
        let inode = index.nextInodeNumber()
        let bytes = [UInt8]("\(inode.rawValue)".utf8) + [UInt8](repeating: 0x78, count: Int(inode.rawValue % 200))
        guard let name = FileName(bytes) else { throw .damaged }
        try index.insert(.file(inode))
        try index.insertDentry(
          parent: .root, DentryRecord(name: name, inode: inode, kind: 8, cookie: index.nextCookie()))
        model.entries.append((name, inode))
      }
    } catch {
      throw Cancelled(error)
    }
  }

  /// Makes random changes in savepoints, up to three deep, some of which are rolled back.
  private func nest(
    _ index: Index, _ model: inout Model, _ random: inout SeededRandom, depth: Int = 0
  ) throws(Cancelled) {
    let before = model
    do throws(Cancelled) {
      try index.withSavepoint { () throws(Cancelled) in
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          if depth < 3, random.oneIn(4) {
            try nest(index, &model, &random, depth: depth + 1)
          } else {
            try change(index, &model, &random)
          }
        }
        if random.oneIn(4) { throw .onPurpose }
      }
    } catch {
      model = before
      guard error == .onPurpose else { throw error }
    }
  }

  /// After any mixture of savepoints the index holds what was kept, and each committed state opens as it was at its commit.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func savepointsAndCommits(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let (index, store) = try makeIndex()
    var model = Model()
    var committed = [Model()]
    for _ in 0..<300 {
      try nest(index, &model, &random)
      if random.oneIn(10) { #expect(try contents(index) == model) }
      if random.oneIn(8) {
        let commits = store.commitCount
        let changes = index.hasChanges
        try index.commit()
        #expect(store.commitCount == commits + (changes ? 1 : 0))
        #expect(!index.hasChanges && index.changeEstimate == 0)
        if changes { committed.append(model) }
      }
    }
    #expect(try contents(index) == model)
    try expectClean(index)
    #expect(store.history.count == committed.count + 1)
    for (snapshot, model) in zip(store.history.dropFirst(), committed) {
      #expect(snapshot.isComplete)
      let opened = try Index(space: MemoryPageStore(snapshot))
      #expect(try contents(opened) == model)
      try expectClean(opened)
    }
  }

  /// The n-th commit fails: the change is gone, the index says so and refuses more, and everything shows the commit before.
  @Test(arguments: 0..<6, [VaultError.noSpace, .readOnly("flush failed")])
  func failingStore(good: Int, failure: VaultError) throws {
    var random = SeededRandom(UInt64(good) + 7)
    let (index, store) = try makeIndex()
    store.failCommits(after: good, with: failure)
    var model = Model()
    var committed = Model()
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
    var random = SeededRandom(9)
    let (index, store) = try makeIndex()
    var model = Model()
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
    var random = SeededRandom(3)
    let (index, store) = try makeIndex()
    var model = Model()
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
    let changed = Model(entries: kept)
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

  /// A page store whose first page is damaged does not open, and none of its neighbours either.
  @Test func refusesToOpen() throws {
    let (_, store) = try makeIndex()
    #expect(throws: IndexError.damaged) { try Index(space: store, creating: RootOwner(owner: 0, group: 0)) }
    #expect(throws: IndexError.damaged) { try Index(space: MemoryPageStore()) }
    store.damage([PageNumber(rawValue: 1)])
    #expect(throws: IndexError.damaged) { try Index(space: store) }
    #expect(store.commitCount == 1)
  }

  @Test func refusesOtherFormats() throws {
    let (index, store) = try makeIndex()
    try index.setMeta("schema", to: 2)
    try index.commit()
    #expect(throws: IndexError.sqlite(17)) { try Index(space: store) }
  }

  /// Opening, reading and ending an index commits nothing, nor does a commit without changes.
  @Test func readingWritesNothing() throws {
    let (index, store) = try makeIndex()
    #expect(store.commitCount == 1)
    try index.commit()
    let again = try Index(space: store)
    _ = try again.inode(.root)
    _ = try again.withSavepoint { () throws(IndexError) in try again.isDirectoryEmpty(.root) }
    #expect(!again.hasChanges)
    try again.commit()
    #expect(store.commitCount == 1)
    try again.requireCommit()
    try again.commit()
    #expect(store.commitCount == 2)
    #expect(store.lastCommitSize < 5)
  }

  /// All statements are there when the index is opened, and SQLite keeps them.
  @Test func preparesOnce() throws {
    var random = SeededRandom(11)
    let (index, _) = try makeIndex()
    let prepared = index.preparedStatementCount
    var model = Model()
    for _ in 0..<50 {
      try nest(index, &model, &random)
      try index.commit()
    }
    try index.incrementalVacuum(pages: 3)
    _ = try index.integrityCheck()
    #expect(index.preparedStatementCount == prepared)
    #expect(index.repreparedStatementCount == 0)
  }

  /// A commit of one small change is a few pages, whatever the index holds.
  @Test func commitsFewPages() throws {
    var random = SeededRandom(5)
    let (index, store) = try makeIndex()
    var model = Model()
    for _ in 0..<3000 { try change(index, &model, &random) }
    try index.commit()
    #expect(store.lastCommitSize > 50)
    let one = try #require(model.entries.first).value
    try index.update(.file(one, size: 77))
    try index.commit()
    #expect(store.lastCommitSize == 1)
  }
}
