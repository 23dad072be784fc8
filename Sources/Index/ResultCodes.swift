// SQLite's extended result codes that are used here. Swift does not import them, because they are composed C macros.

internal import CSQLite

enum ResultCode {
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let writeFailed = SQLITE_IOERR | 3 << 8
  static let nothingToDelete = SQLITE_IOERR | 23 << 8
}
