internal import Index
internal import Vault

/// What is kept in memory of one inode. Guarded by the file system's lock.
final class Inode {
  /// The inode as it is now; the index may have an older row.
  var record: InodeRecord
  /// Opens without their release.
  var opens = 0
  /// Whether the index has `record`.
  var isStored = true
  /// Whether the index has it among its orphans.
  var isStoredOrphan = false
  /// Whether its row is gone.
  var isDeleted = false
  /// Whether it waits to be deleted for good.
  var isDying = false
  /// Data that is not in the log yet.
  var buffer = WriteBuffer()
  /// Where the last extent ends, when that is known: appending beyond it replaces nothing.
  var extentsEnd: FileOffset?
  /// Whether the index says that the content is still to be looked at.
  var isNoted = false
  /// Whether its first bytes are known to be no photo's or video's.
  var isPlain = false
  /// Whether the name that it was found by last begins with a dot.
  var isHidden = false
  /// When the content changed last, on the monotonic clock; 0 when that was before it came into memory.
  var contentChanged: UInt64 = 0
  /// Looked up since the table last went by.
  var wasUsed = false

  init(_ record: InodeRecord) {
    self.record = record
    extentsEnd = record.allocated == 0 ? .zero : nil
  }

  var number: InodeNumber { record.number }
  var isDirectory: Bool { record.mode & FileKind.mask == FileKind.directory }
  var isRegular: Bool { record.mode & FileKind.mask == FileKind.regular }

  /// Whether it must stay in memory.
  var isPinned: Bool { opens > 0 || !isStored || record.links == 0 || !buffer.isEmpty }
}

/// The type bits of `st_mode`.
enum FileKind {
  static let mask: UInt32 = 0o170000
  static let regular: UInt32 = 0o100000
  static let directory: UInt32 = 0o040000
  static let symbolicLink: UInt32 = 0o120000
  static let characterDevice: UInt32 = 0o020000
  static let blockDevice: UInt32 = 0o060000
  static let fifo: UInt32 = 0o010000
  static let socket: UInt32 = 0o140000

  static let setUser: UInt32 = 0o4000
  static let setGroup: UInt32 = 0o2000
  static let groupExecutes: UInt32 = 0o0010
}
