// The tables of one space behind typed functions.
//
// Invariants
// 1. Nothing here locks: the caller makes every call under one lock of its own.
// 2. At most one transaction is open. It begins by itself and ends in `commit()`; every change happens in a savepoint of it, so an
//    error half-way through a change leaves nothing behind.
// 3. Once SQLite lost a transaction, nothing is changed any more, and reads show the last commit.
// 4. Rows of `extent` of one inode never overlap, and none is empty.
// 5. All statements are prepared when the index is opened.

internal import CSQLite
package import Vault

/// The tables of one space: inodes, names, extents, extended attributes. Every call is made under the caller's one lock; a body that
/// is called for rows may call the index, but not the function that calls it.
package final class Index: @unchecked Sendable {
  /// SQLite; for tests, and for nothing else outside.
  package let connection: Connection
  let file: PageFile

  let transactionStatements: TransactionStatements
  let inodeStatements: InodeStatements
  let dentryStatements: DentryStatements
  let extentStatements: ExtentStatements
  let segmentStatements: SegmentStatements
  let attributeStatements: AttributeStatements
  let smallStatements: SmallStatements
  let mediaStatements: MediaStatements
  let checkStatements: CheckStatements
  let repairStatements: RepairStatements

  /// Savepoints that are open.
  var depth = 0
  var live = LiveBytes()
  var extentCache = ExtentCache()
  var counters = Counters()
  /// The counters as `meta` has them; none of the first values is one that a counter ever has.
  var storedCounters = Counters(values: [-1, -1, -1])
  /// `totalChanges` of the connection at the last commit.
  var changesAtCommit: Int64 = 0
  /// Whether pages changed without a row having changed.
  var pagesChanged = false

  /// Opens the index in `space`; with `owner`, first makes the tables and the root directory (mode 0755), in one commit.
  ///
  /// - Throws: `.damaged` when there is no index, or one that cannot be read; `.sqlite(SQLITE_SCHEMA)` when it is of a newer format.
  package init(space: any PageStore, creating owner: RootOwner? = nil) throws(IndexError) {
    guard (space.databasePageCount == 0) == (owner != nil) else { throw .damaged }
    file = PageFile(space)
    connection = try Connection(file: file)
    try connection.execute(Schema.pragmas)
    if owner != nil {
      try connection.execute("BEGIN")
      connection.transactionIsOpen = true
      try connection.execute(Schema.creationPragma)
      try connection.execute(Schema.tables)
    }
    transactionStatements = try TransactionStatements(connection)
    inodeStatements = try InodeStatements(connection)
    dentryStatements = try DentryStatements(connection)
    extentStatements = try ExtentStatements(connection)
    segmentStatements = try SegmentStatements(connection)
    attributeStatements = try AttributeStatements(connection)
    smallStatements = try SmallStatements(connection)
    mediaStatements = try MediaStatements(connection)
    checkStatements = try CheckStatements(connection)
    repairStatements = try RepairStatements(connection)
    if let owner { try fill(owner) } else { try load() }
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
    guard version == Schema.version else { throw .sqlite(SQLITE_SCHEMA) }
    var values: [Int64] = []
    for key in Counters.keys {
      guard let value = try metaInteger(key) else { throw .damaged }
      values.append(value)
    }
    counters = Counters(values: values)
    try loadLiveBytes()
    storedCounters = counters
    changesAtCommit = connection.totalChanges
  }

  /// Whether a transaction was lost, so that the index refuses changes.
  package var isReadOnly: Bool { connection.transactionWasLost }

  /// What the page store said when it failed last, for messages.
  package var lastStoreError: VaultError? { file.lastError }

  /// Inodes in the space, the root directory among them.
  package var inodeCount: Int64 { counters.inodeCount }

  /// Requests of SQLite that must never happen; for tests.
  package var fileCounters: PageFileCounters { file.counters }

  /// Statements prepared since the index was opened, its own included; for tests.
  package var preparedStatementCount: Int { connection.preparedStatementCount }

  /// Times that SQLite had to prepare one of the statements that change or look up rows anew; for tests.
  package var repreparedStatementCount: Int {
    let watched = [
      transactionStatements.savepoint, transactionStatements.commit, inodeStatements.find, inodeStatements.insert,
      inodeStatements.update, dentryStatements.find, dentryStatements.insert, dentryStatements.delete,
      dentryStatements.listWithInode, smallStatements.setMeta,
    ]
    return watched.reduce(0) { $0 + Int($1.reprepareCount) }
  }

  /// A number for a new inode; never given twice.
  package func nextInodeNumber() -> InodeNumber {
    defer { counters.nextInode += 1 }
    return InodeNumber(rawValue: counters.nextInode)
  }

  /// A cookie for a new directory entry; never given twice, and at least 3.
  package func nextCookie() -> UInt64 {
    defer { counters.nextCookie += 1 }
    return counters.nextCookie
  }
}
