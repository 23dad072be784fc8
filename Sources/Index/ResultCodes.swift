// SQLite's extended result codes that we give or test; as C macros made of others, they are not imported.

internal import CSQLite

enum ResultCode {
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let writeFailed = SQLITE_IOERR | 3 << 8
  static let nothingToDelete = SQLITE_IOERR | 23 << 8
}
