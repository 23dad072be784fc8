// A prepared statement: bind everything, step, read columns, reset.
//
// Invariants
// 1. Bound bytes are borrowed: they must stay valid until `reset`. After it, the statement must be bound again.
// 2. A statement runs once at a time. Reading rows always ends with `reset`, also after an error.

internal import CSQLite

/// A prepared statement. Parameters count from 1, columns from 0, as in SQLite.
@safe package final class Statement {
  private let handle: OpaquePointer
  private let connection: Connection

  init(_ handle: OpaquePointer, _ connection: Connection) {
    unsafe self.handle = handle
    self.connection = connection
  }

  deinit {
    unsafe sqlite3_finalize(handle)
  }

  /// How often SQLite had to prepare the statement again.
  package var reprepareCount: Int32 { unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) }

  /// Binds an integer.
  package func bind(_ parameter: Int32, _ value: Int64) {
    let code = unsafe sqlite3_bind_int64(handle, parameter, value)
    precondition(code == SQLITE_OK, "a statement is in use or lacks a parameter")
  }

  /// Binds a number by its bits.
  @inline(__always)
  package func bind(_ parameter: Int32, _ value: UInt64) { bind(parameter, Int64(bitPattern: value)) }

  /// Binds a number.
  @inline(__always)
  package func bind(_ parameter: Int32, _ value: UInt32) { bind(parameter, Int64(value)) }

  /// Binds a count.
  @inline(__always)
  package func bind(_ parameter: Int32, _ value: Int) { bind(parameter, Int64(value)) }

  /// Binds NULL.
  package func bindNull(_ parameter: Int32) {
    let code = unsafe sqlite3_bind_null(handle, parameter)
    precondition(code == SQLITE_OK, "a statement is in use or lacks a parameter")
  }

  /// Binds bytes without a copy. They must stay valid until `reset`.
  package func bind(_ parameter: Int32, _ bytes: UnsafeRawBufferPointer) {
    let code: Int32
    if let address = bytes.baseAddress, unsafe !bytes.isEmpty {
      code = unsafe sqlite3_bind_blob64(handle, parameter, address, UInt64(bytes.count), nil)
    } else {
      code = unsafe sqlite3_bind_zeroblob(handle, parameter, 0)
    }
    precondition(code == SQLITE_OK, "a statement is in use or lacks a parameter")
  }

  /// Binds a copy of a text.
  package func bind(_ parameter: Int32, text: String) {
    var text = text
    let code = text.withUTF8 { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
        let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        return unsafe sqlite3_bind_text(handle, parameter, bytes.baseAddress, Int32(bytes.count), copied)
      }
    }
    precondition(code == SQLITE_OK, "a statement is in use or lacks a parameter")
  }

  /// Goes to the next row; false when there is none. After an error the statement is reset.
  package func step() throws(IndexError) -> Bool {
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    unsafe sqlite3_reset(handle)
    throw connection.failure(code)
  }

  /// Ends the run, so that the statement can be bound again.
  package func reset() {
    unsafe sqlite3_reset(handle)
  }

  /// Runs a statement without result rows.
  package func run() throws(IndexError) {
    let hasRow = try step()
    reset()
    assert(!hasRow, "a statement returned an unexpected row")
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
