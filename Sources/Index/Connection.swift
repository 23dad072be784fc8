// One SQLite connection, and the numbers that it gives back made into errors.
//
// Invariants
// 1. Every statement holds its connection, so SQLite is closed after the last statement was finalised, and the page file's memory
//    goes after SQLite was closed.
// 2. SQLite ends a whole transaction by itself after some errors (a full disk, an I/O error). `transactionIsOpen` says what we
//    believe; when SQLite says otherwise after an error, `transactionWasLost` is set and stays set.

internal import CSQLite

/// An open database.
@safe package final class Connection {
  /// SQLite's handle.
  let handle: OpaquePointer
  /// Where the pages are; nil for an ordinary file.
  private let files: PageFileSystem?

  /// Whether `BEGIN` was executed and neither `COMMIT` nor `ROLLBACK` since.
  package var transactionIsOpen = false
  /// Whether SQLite ended a transaction without being asked.
  package private(set) var transactionWasLost = false
  /// Statements that were prepared so far.
  package fileprivate(set) var preparedStatementCount = 0

  /// Opens the database in `file`.
  package convenience init(file: PageFile) throws(IndexError) {
    let files = PageFileSystem(file)
    try self.init(path: "agonyfs", files: files)
  }

  /// Opens an ordinary database file, or one in memory.
  package convenience init(path: String) throws(IndexError) {
    try self.init(path: path, files: nil)
  }

  private init(path: String, files: PageFileSystem?) throws(IndexError) {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var opened: OpaquePointer?
    let code: Int32
    if let files {
      code = unsafe files.whileRegistered { name in unsafe sqlite3_open_v2(path, &opened, flags, name) }
    } else {
      code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    }
    guard let opened = unsafe opened else { throw .sqlite(SQLITE_NOMEM) }
    unsafe handle = opened
    self.files = files
    guard code == SQLITE_OK else { throw IndexError(code) }
  }

  deinit {
    // The last statement is gone (invariant 1), so this cannot be refused.
    let code = unsafe sqlite3_close(handle)
    assert(code == SQLITE_OK, "SQLite closed with \(code)")
  }

  /// Runs statements that give no rows, once.
  package func execute(_ sql: String) throws(IndexError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Prepares a statement that is kept.
  package func prepare(_ sql: String) throws(IndexError) -> Statement {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared = unsafe prepared else { throw failure(code) }
    preparedStatementCount += 1
    return unsafe Statement(prepared, self)
  }

  /// Rows changed since the connection was opened, those of rolled-back savepoints included.
  package var totalChanges: Int64 { unsafe sqlite3_total_changes64(handle) }

  /// Rows that the last statement changed.
  package var changes: Int64 { unsafe sqlite3_changes64(handle) }

  /// What a result code means now, with the check for a lost transaction.
  func failure(_ code: Int32) -> IndexError {
    if transactionIsOpen, unsafe sqlite3_get_autocommit(handle) != 0 { abandonTransaction() }
    return transactionWasLost ? .transactionLost : IndexError(code)
  }

  /// Notes that the open transaction is gone for good.
  func abandonTransaction() {
    transactionIsOpen = false
    transactionWasLost = true
  }
}

extension IndexError {
  /// What SQLite's result code says.
  init(_ code: Int32) {
    switch code & 0xFF {
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged
    case SQLITE_FULL: self = .full
    case SQLITE_READONLY: self = .readOnly
    default: self = .sqlite(code)
    }
  }
}
