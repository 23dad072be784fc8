// One SQLite connection, and its result codes as Swift errors.
//
// Invariants
// 1. Every statement holds its connection. So SQLite is closed after the last statement is finalised, and the page file
//    is freed after SQLite is closed.
// 2. A read-only connection fails with `.ended` once a page could not be read because the snapshot has ended, no matter
//    what SQLite makes of that: a check by SQLite, for example, returns rows that report damage.
// 3. After some errors (a full disk, an I/O error) SQLite ends the whole transaction by itself. `transactionIsOpen` is
//    a separate record of it. If SQLite disagrees after an error, `transactionWasLost` is set, and it stays set.

internal import CSQLite

/// An open database.
@safe package final class Connection {
  let handle: OpaquePointer
  /// Its page file and VFS; nil for an ordinary file.
  private let file: PageFile?
  private let files: PageFileSystem?
  /// Whether the connection is read-only. Such a connection is opened often and uses few of its statements, so it
  /// prepares each of them at its first use.
  let isReadOnly: Bool

  /// Whether `BEGIN` was executed, and neither `COMMIT` nor `ROLLBACK` since.
  package var transactionIsOpen = false
  /// Whether SQLite ended a transaction by itself.
  package private(set) var transactionWasLost = false
  /// The number of statements prepared so far.
  package fileprivate(set) var preparedStatementCount = 0

  /// Opens the database in `file`; if that is nil, an ordinary one at `path`, in plaintext.
  package init(file: PageFile?, path: String = "agonyfs", isReadOnly: Bool = false) throws(IndexError) {
    self.file = file
    self.isReadOnly = isReadOnly
    files = file.map(PageFileSystem.init)
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var opened: OpaquePointer?
    let code: Int32
    if let files {
      code = unsafe files.whileRegistered { name in unsafe sqlite3_open_v2(path, &opened, flags, name) }
    } else {
      code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    }
    guard let opened = unsafe opened else { throw .sqlite(SQLITE_NOMEM) }
    unsafe handle = opened
    guard code == SQLITE_OK else { throw failure(code) }
  }

  deinit {
    // No statement is left (invariant 1), so SQLite does not refuse.
    let code = unsafe sqlite3_close(handle)
    assert(code == SQLITE_OK, "SQLite closed with \(code)")
  }

  /// Runs statements without result rows, once.
  package func execute(_ sql: String) throws(IndexError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Prepares a statement for repeated use.
  package func prepare(_ sql: String) throws(IndexError) -> Statement {
    if isReadOnly { return Statement(preparingLater: sql, self) }
    return try unsafe Statement(prepared(sql), self)
  }

  /// SQLite's own statement, which the caller then owns.
  func prepared(_ sql: String) throws(IndexError) -> OpaquePointer {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared = unsafe prepared else { throw failure(code) }
    preparedStatementCount += 1
    return unsafe prepared
  }

  /// How often SQLite had to prepare statements again.
  var repreparedStatementCount: Int {
    var count = 0
    var next = unsafe sqlite3_next_stmt(handle, nil)
    while let statement = unsafe next {
      count += Int(unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0))
      unsafe next = sqlite3_next_stmt(handle, statement)
    }
    return count
  }

  /// Rows changed since the connection was opened, including those of rolled-back savepoints.
  package var totalChanges: Int64 { unsafe sqlite3_total_changes64(handle) }

  /// Rows that the last statement changed.
  package var changes: Int64 { unsafe sqlite3_changes64(handle) }

  /// Whether the snapshot that is being read has ended, so that a page could not be read.
  var hasEnded: Bool { isReadOnly && file?.hasEnded == true }

  /// Bytes of SQLite's page cache; for tests.
  package var cachedBytes: Int {
    var current: Int32 = 0
    var most: Int32 = 0
    unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &current, &most, 0)
    return Int(current)
  }

  /// Frees memory that is not needed.
  func releaseMemory() { unsafe sqlite3_db_release_memory(handle) }

  /// The error for a result code. Checks whether the transaction was lost.
  func failure(_ code: Int32) -> IndexError {
    if hasEnded { return .ended }
    if transactionIsOpen, unsafe sqlite3_get_autocommit(handle) != 0 { abandonTransaction() }
    return transactionWasLost ? .transactionLost : IndexError(code)
  }

  func abandonTransaction() {
    transactionIsOpen = false
    transactionWasLost = true
  }
}

extension IndexError {
  init(_ code: Int32) {
    switch code & 0xFF {
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged
    case SQLITE_FULL: self = .full
    case SQLITE_READONLY: self = .readOnly
    default: self = .sqlite(code)
    }
  }
}
