// One inode in memory, and how it ends.
//
// Invariants
// 1. `deletion` goes forward along these arrows only:
//
//      linked ──> orphaned ──> pending ──> deleted
//
//    linked -> orphaned: an operation removed the last name, or the last row that pointed at a derivative.
//    orphaned -> pending: no open is left, or the file system closes, or a mount found it among the index's orphans.
//    pending -> deleted: the reaper, or the caller that made it pending, removed the last of it from the index.
//    `isListed` becomes true in a commit, which writes new orphans to the index.
// 2. `record.links` is 0 in every state except `linked`.
// 3. Its row in the index may be out of date in every state except `deleted`, where it has no row.

package import Index
package import Vault

/// One inode in memory, under the file system's lock.
package final class Inode {
  /// How far an inode is on the way from its last name to its end.
  enum Deletion: Equatable {
    /// It has a name, or is a derivative that rows point at.
    case linked
    /// It has no name. `isListed`: whether the index has it among its orphans.
    case orphaned(isListed: Bool)
    /// It is being deleted in steps, once nothing of it is in flight.
    case pending(isListed: Bool)
    /// Its row is gone.
    case deleted

    /// Whether it is being deleted.
    var isPending: Bool {
      if case .pending = self { true } else { false }
    }

    /// Whether the index has it among its orphans.
    var isListed: Bool {
      switch self {
      case .linked, .deleted: false
      case .orphaned(let isListed), .pending(let isListed): isListed
      }
    }
  }

  /// The inode as it is now; the index may have an older row.
  package var record: InodeRecord
  /// Opens that are not released yet.
  var opens = 0
  private(set) var deletion: Deletion
  /// Whether the row in the index differs from `record`. If so, the inode is in `InodeSet.stale`.
  private(set) var isStale = false
  /// The least size to which it was cut since its row was written; the maximum if it was not cut.
  private(set) var cutTo = Int64.max
  /// Data that is not in the log yet.
  var buffer = WriteBuffer()
  /// Where the last extent ends, if that is known. Appending beyond it replaces nothing.
  var extentsEnd: FileOffset?
  /// Bits for the change sink, kept while the inode is in memory.
  package var sinkMarks: UInt8 = 0
  /// A time for the change sink, on the monotonic clock.
  package var sinkTime: UInt64 = 0
  /// Whether it was looked up since `InodeSet.shrink(steps:)` last saw it.
  var wasUsed = false

  init(_ record: InodeRecord) {
    self.record = record
    deletion = record.links > 0 ? .linked : .orphaned(isListed: true)
    extentsEnd = record.allocated == 0 ? .zero : nil
  }

  /// Its number.
  package var number: InodeNumber { record.number }
  /// Whether it is a directory.
  package var isDirectory: Bool { record.mode & FileKind.mask == FileKind.directory }
  /// Whether it is a regular file.
  package var isRegular: Bool { record.mode & FileKind.mask == FileKind.regular }

  /// Whether it must stay in memory.
  var isPinned: Bool { opens > 0 || isStale || record.links == 0 || !buffer.isEmpty }
}

/// The transitions. A second call of each does nothing.
extension Inode {
  /// It lost its last name; true if it had one.
  func noteOrphaned() -> Bool {
    guard deletion == .linked else { return false }
    deletion = .orphaned(isListed: false)
    return true
  }

  /// A commit wrote it to the index's orphans.
  func noteListed() {
    switch deletion {
    case .orphaned: deletion = .orphaned(isListed: true)
    case .pending: deletion = .pending(isListed: true)
    case .linked, .deleted: break
    }
  }

  /// It must be deleted; true if it did not have to be before.
  func noteDeletionPending() -> Bool {
    guard case .orphaned(let isListed) = deletion else { return false }
    deletion = .pending(isListed: isListed)
    return true
  }

  /// The index no longer has any part of it.
  func noteDeleted() {
    deletion = .deleted
    isStale = false
  }

  /// Its record was changed; true if the index had it until now.
  func noteStale() -> Bool {
    if isStale || deletion == .deleted { return false }
    isStale = true
    return true
  }

  /// A commit wrote its record to the index.
  func noteStored() { isStale = false }

  /// It ended at `size` for a moment, or still does.
  func noteCut(to size: Int64) { cutTo = min(cutTo, size) }

  /// Its row was written, though perhaps with a lesser size.
  func noteRowWritten() { cutTo = .max }
}

/// Counts links. A damaged index may have counts that contradict its names; a count never leaves its range.
extension InodeRecord {
  mutating func addLink() { if links < .max { links += 1 } }

  mutating func removeLink() { if links > 0 { links -= 1 } }
}

/// The type bits of `st_mode`.
package enum FileKind {
  /// All type bits.
  package static let mask: UInt32 = 0o170000
  /// Those of a regular file.
  package static let regular: UInt32 = 0o100000
  /// Those of a directory.
  package static let directory: UInt32 = 0o040000
  /// Those of a symbolic link.
  package static let symbolicLink: UInt32 = 0o120000
  static let characterDevice: UInt32 = 0o020000
  static let blockDevice: UInt32 = 0o060000
  static let fifo: UInt32 = 0o010000
  static let socket: UInt32 = 0o140000

  static let setUser: UInt32 = 0o4000
  static let setGroup: UInt32 = 0o2000
  static let groupExecutes: UInt32 = 0o0010
}
