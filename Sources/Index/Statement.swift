// A prepared statement: bind everything, step, read columns, reset.
//
// Invariants
// 1. SQLite copies bound bytes, so nothing needs to stay valid until `reset`.
// 2. A statement runs once at a time. Reading rows always ends with `reset`, also after an error.
// 3. A statement that is prepared later runs with all of its parameters or not at all: if it could not be prepared when
//    the first was bound, `step()` throws.

internal import CSQLite

/// Makes SQLite copy the given bytes (`SQLITE_TRANSIENT`).
nonisolated(unsafe) private let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// A prepared statement. Parameters count from 1, columns from 0, as in SQLite.
@safe package final class Statement {
  /// nil until it is prepared.
  private var handle: OpaquePointer?
  private let connection: Connection
  /// The text of a statement that is not prepared yet.
  private var later: String?
  /// The reason why it could not be prepared when it was bound.
  private var failure: IndexError?

  init(_ handle: OpaquePointer, _ connection: Connection) {
    unsafe self.handle = handle
    self.connection = connection
  }

  /// A statement that is prepared at its first use.
  init(preparingLater sql: String, _ connection: Connection) {
    later = sql
    self.connection = connection
  }

  deinit {
    unsafe sqlite3_finalize(handle)
  }

  /// Binds the first parameters, in order.
  @inline(__always) @discardableResult
  func bind<each Value: Storable>(_ values: repeat each Value) -> Statement {
    var parameter: Int32 = 0
    for value in repeat each values {
      parameter += 1
      bind(parameter, value.stored)
    }
    return self
  }

  func bind(_ parameter: Int32, _ value: StoredValue) {
    if later != nil {
      prepare()
      if failure != nil { return }
    }
    let code: Int32
    switch value {
    case .null: code = unsafe sqlite3_bind_null(handle, parameter)
    case .integer(let integer): code = unsafe sqlite3_bind_int64(handle, parameter, integer)
    case .bytes(let bytes) where bytes.isEmpty: code = unsafe sqlite3_bind_zeroblob(handle, parameter, 0)
    case .bytes(let bytes): code = unsafe sqlite3_bind_blob64(handle, parameter, bytes, UInt64(bytes.count), copied)
    case .text(let text): code = unsafe sqlite3_bind_text(handle, parameter, text, Int32(text.utf8.count), copied)
    }
    precondition(code == SQLITE_OK, "a statement is in use or lacks a parameter")
  }

  /// Prepares a statement that is not prepared yet, unless that failed before and the failure is not reported yet.
  private func prepare() {
    guard let sql = later, failure == nil else { return }
    do throws(IndexError) {
      let made = try unsafe connection.prepared(sql)
      unsafe handle = made
      later = nil
    } catch {
      failure = error
    }
  }

  /// Goes to the next row; false when there is none. After an error the statement is reset.
  package func step() throws(IndexError) -> Bool {
    if later != nil {
      prepare()
      defer { failure = nil }
      if let failure { throw failure }
    }
    let code = unsafe sqlite3_step(handle)
    if connection.hasEnded {
      unsafe sqlite3_reset(handle)
      throw .ended
    }
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    unsafe sqlite3_reset(handle)
    throw connection.failure(code)
  }

  /// Ends the run, so that the statement can be bound again.
  package func reset() {
    unsafe sqlite3_reset(handle)
  }

  /// Runs a statement without result rows. Returns the number of rows that it changed.
  @discardableResult
  package func run() throws(IndexError) -> Int64 {
    let hasRow = try step()
    reset()
    assert(!hasRow, "a statement returned an unexpected row")
    return connection.changes
  }

  /// Reads the rows of a bound statement until `body` returns false.
  package func forEachRow(_ body: (Statement) throws(IndexError) -> Bool) throws(IndexError) {
    defer { reset() }
    while try step() {
      guard try body(self) else { return }
    }
  }

  /// All rows of a bound statement.
  package func rows<Row>(_ body: (Statement) throws(IndexError) -> Row) throws(IndexError) -> [Row] {
    var rows: [Row] = []
    try forEachRow { (row) throws(IndexError) in
      rows.append(try body(row))
      return true
    }
    return rows
  }

  /// The first row of a bound statement; nil when there is none.
  package func firstRow<Row>(_ body: (Statement) throws(IndexError) -> Row) throws(IndexError) -> Row? {
    defer { reset() }
    guard try step() else { return nil }
    return try body(self)
  }

  /// The integer in a column; 0 for NULL.
  package func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  /// Whether a column is NULL.
  package func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// A copy of the bytes in a column.
  package func bytes(_ column: Int32) -> [UInt8] {
    guard let address = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: address, count: count))
  }

  /// The text in a column, for messages.
  package func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}
