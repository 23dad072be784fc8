// The tables of one space behind typed functions.
//
// Invariants
// 1. The index itself does not lock. Its caller makes every call under one lock.
// 2. At most one transaction is open. It begins by itself and ends in `commit()`. Every change is in a savepoint of it,
//    so an error in the middle of a change leaves nothing behind.
// 3. After SQLite has lost a transaction, changes are refused, and reads show the last commit.
// 4. The rows of `extent` of one inode do not overlap, and none is empty.
// 5. All statements are prepared when the index is opened, with two exceptions: those of the catalog are prepared at
//    its first use, and those of a snapshot's index each at its own first use.
// 6. The index of a snapshot has a separate SQLite connection, VFS and cache, and shares only the log with others.

internal import CSQLite
package import Vault

/// The tables of one space: inodes, names, extents, extended attributes. Every call is made under the caller's one
/// lock. A body that is called for rows may call the index, but not the function that called it.
package final class Index: @unchecked Sendable {
  /// The SQLite connection. Outside this module, only tests may use it.
  package let connection: Connection
  let file: PageFile

  let statements: Statements

  /// The tables of the catalog.
  package var catalog: CatalogTables { CatalogTables(index: self) }
  /// The contents that were examined, and their derivatives.
  package var media: MediaTable { MediaTable(index: self) }
  /// The places of the bytes of files.
  package var extents: ExtentTable { ExtentTable(index: self) }
  /// Extended attributes.
  package var attributes: AttributeTable { AttributeTable(index: self) }

  /// The number of open savepoints.
  var depth = 0
  var live = LiveBytes()
  var extentCache = ExtentCache()
  var counters = Counters()
  /// The counters as stored in `meta`. The initial values differ from any counter.
  var storedCounters = Counters(values: [-1, -1, -1])
  /// `totalChanges` of the connection at the last commit.
  var changesAtCommit: Int64 = 0
  /// Whether pages changed without a change of rows.
  var pagesChanged = false
  /// The number of commits that changed something since the index was opened. While it stays the same and nothing
  /// `hasChanges`, the pages have the same content.
  package internal(set) var revision: UInt64 = 0
  /// Whether the tables of the catalog exist. They are missing in an index of an older schema that was not written
  /// since.
  package internal(set) var hasCatalog = true
  /// Prepared when the catalog is first used.
  var preparedCatalogStatements: CatalogStatements?
  /// Prepared when the catalog is first used, for each set of columns.
  var preparedTimelineStatements: [TimelineColumns: TimelineStatements] = [:]
  var preparedStaleStatements: StaleStatements?
  var preparedDuplicateStatements: DuplicateStatements?
  /// Prepared when the catalog is first used.
  var preparedFindingStatements: FindingStatements?
  /// Texts of terms by their numbers. It is emptied when a savepoint is rolled back, because a number may be given
  /// again after that.
  var termTexts: [Int64: String] = [:]

  /// Opens the index in `space`. With `owner`, first creates the tables and the root directory (mode 0755), in one
  /// commit.
  ///
  /// - Throws: `.damaged` when there is no index, or it cannot be read; `.sqlite(SQLITE_SCHEMA)` when it has a newer
  ///   format.
  package init(space: any PageStore, creating owner: RootOwner? = nil) throws(IndexError) {
    guard (space.databasePageCount == 0) == (owner != nil) else { throw .damaged }
    file = PageFile(space)
    connection = try Connection(file: file)
    try connection.execute(Schema.pragmas)
    try connection.execute("PRAGMA max_page_count = \(space.mostPages)")
    if owner != nil {
      try connection.execute("BEGIN")
      connection.transactionIsOpen = true
      try connection.execute(Schema.creationPragma)
      try connection.execute(Schema.tables)
      try connection.execute(Schema.catalog)
    }
    statements = try Statements(connection)
    if let owner { try fill(owner) } else { try load() }
  }

  /// Opens the index as of the commit of a snapshot. It refuses changes, does not know `totalLiveBytes`, and keeps no
  /// more than `cache` bytes of pages. One thread at a time makes its calls, without the lock of a file system.
  ///
  /// - Throws: `.ended` when the snapshot has ended, and so does every later call that needs another page; `.damaged`
  ///   when there is no index, or it cannot be read; `.sqlite(SQLITE_SCHEMA)` when it has a newer format.
  package init(reading snapshot: any PageStore, cache: Int = 2 << 20) throws(IndexError) {
    guard snapshot.databasePageCount > 0 else { throw .damaged }
    file = PageFile(snapshot)
    connection = try Connection(file: file, isReadOnly: true)
    try connection.execute(Schema.pragmas)
    try connection.execute(Schema.snapshotPragmas(cache: cache))
    statements = try Statements(connection)
    try load()
  }

  /// Changes the most bytes of pages that a snapshot keeps in memory. More are given back at once.
  package func resizeCache(to bytes: Int) throws(IndexError) {
    try connection.execute(Schema.snapshotPragmas(cache: bytes))
  }

  private func fill(_ owner: RootOwner) throws(IndexError) {
    try setMeta("schema", to: Schema.version)
    let root = InodeRecord(
      number: nextInodeNumber(), mode: 0o40755, links: 2, owner: owner.owner, group: owner.group, time: .now(),
      parent: .root)
    try insert(root)
    try commit()
  }

  private func load() throws(IndexError) {
    guard let version = try metaInteger("schema") else { throw .damaged }
    guard (Schema.oldestVersion...Schema.version).contains(version) else { throw .sqlite(SQLITE_SCHEMA) }
    hasCatalog = version == Schema.version
    var values: [Int64] = []
    for key in Counters.keys {
      guard let value = try metaInteger(key) else { throw .damaged }
      values.append(value)
    }
    counters = Counters(values: values)
    guard counters.arePossible else { throw .damaged }
    // Reads one row for each segment of the space.
    if !connection.isReadOnly { try loadLiveBytes() }
    storedCounters = counters
    changesAtCommit = connection.totalChanges
  }

  /// Frees the memory of pages that were only read. They are read again when they are needed.
  package func releaseMemory() { connection.releaseMemory() }

  /// Whether the index refuses changes, because it belongs to a snapshot, or because a transaction was lost.
  package var isReadOnly: Bool { connection.isReadOnly || connection.transactionWasLost }

  /// The last error of the page store, for messages.
  package var lastStoreError: VaultError? { file.lastError }

  /// The number of inodes in the space, including the root directory.
  package var inodeCount: Int64 { counters.inodeCount }

  /// Counts of SQLite's requests that must never happen; for tests.
  package var fileCounters: PageFileCounters { file.counters }

  /// The number of statements prepared so far, including its own; for tests.
  package var preparedStatementCount: Int { connection.preparedStatementCount }

  /// How often SQLite had to prepare statements again; for tests.
  package var repreparedStatementCount: Int { connection.repreparedStatementCount }

  /// A number for a new inode. It is never reused.
  package func nextInodeNumber() -> InodeNumber {
    defer { counters.nextInode += 1 }
    return InodeNumber(rawValue: counters.nextInode)
  }

  /// A cookie for a new directory entry. It is at least 3 and never reused.
  package func nextCookie() -> UInt64 {
    defer { counters.nextCookie += 1 }
    return counters.nextCookie
  }
}
