import FaultyStorage
import Index
import TestSupport
import Testing
import Vault

/// Commits and savepoints.
@Suite struct TransactionTests {
  /// After any mixture of savepoints the index holds what was kept, and each committed state opens as it was at its
  /// commit.
  @Test(arguments: TestLength.seedArguments(4))
  func savepointsAndCommits(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (index, store) = try makeIndex()
    var model = NameModel()
    var committed = [NameModel()]
    for _ in 0..<300 {
      try nest(index, &model, &random)
      if random.oneIn(10) { #expect(try contents(index) == model) }
      if random.oneIn(8) {
        let commits = store.commitCount
        let changes = index.hasChanges
        try index.commit(to: store)
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

  /// A page store whose first page is damaged does not open, and none of its neighbours either.
  @Test func refusesToOpen() throws {
    let (_, store) = try makeIndex()
    #expect(throws: IndexError.damaged) { try Index(space: store, creating: RootOwner(owner: 0, group: 0)) }
    #expect(throws: IndexError.damaged) { try Index(space: MemoryPageStore()) }
    store.damage([PageNumber(rawValue: 1)])
    #expect(throws: IndexError.damaged) { try Index(space: store) }
    #expect(store.commitCount == 1)
  }

  /// Opening, reading and ending an index commits nothing, nor does a commit without changes.
  @Test func readingWritesNothing() throws {
    let (index, store) = try makeIndex()
    #expect(store.commitCount == 1)
    try index.commit(to: store)
    let again = try Index(space: store)
    _ = try again.inode(.root)
    _ = try again.withSavepoint { () throws(IndexError) in try again.isDirectoryEmpty(.root) }
    #expect(!again.hasChanges)
    try again.commit(to: store)
    #expect(store.commitCount == 1)
  }

  /// All statements are there when the index is opened, and SQLite keeps them.
  @Test func preparesOnce() throws {
    var random = SeededGenerator(seed: 11)
    let (index, _) = try makeIndex()
    let prepared = index.preparedStatementCount
    var model = NameModel()
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
    var random = SeededGenerator(seed: 5)
    let (index, store) = try makeIndex()
    var model = NameModel()
    for _ in 0..<3000 { try change(index, &model, &random) }
    try index.commit(to: store)
    #expect(store.lastCommitSize > 50)
    let one = try #require(model.entries.first).value
    try index.update(.file(one, size: 77))
    try index.commit(to: store)
    #expect(store.lastCommitSize == 1)
  }
}
