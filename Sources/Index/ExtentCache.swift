// All extents of the few files that are read at many places, so that a read need not ask SQLite.
//
// Invariants
// 1. What an entry lists is all that `extent` says of the inode now: every change of its rows, and every rollback, drops the entry.
// 2. A file gets its list only after several questions between which nothing changed: a file that is being written is not listed in vain.

internal import Vault

/// Extents of some inodes, in order.
struct ExtentCache {
  /// Inodes that are counted or listed.
  private static let limit = 16
  /// Questions before all extents of a file are read at once, which costs as much as some dozen questions.
  private static let worthwhile = 16
  /// Extents of the largest file that is listed.
  static let longest = 4096

  private struct Entry {
    var questions = 0
    var isTooLong = false
    var extents: [ExtentRecord]?
  }

  private var entries: [InodeNumber: Entry] = [:]

  /// The list of a file, when it is there.
  func extents(of inode: InodeNumber) -> [ExtentRecord]? { entries[inode]?.extents }

  /// Counts a question that the cache did not answer; true when the file is to be listed.
  mutating func miss(_ inode: InodeNumber) -> Bool {
    if entries[inode] == nil, entries.count >= Self.limit { entries.removeAll(keepingCapacity: true) }
    entries[inode, default: Entry()].questions += 1
    guard let entry = entries[inode] else { return false }
    return entry.questions >= Self.worthwhile && !entry.isTooLong
  }

  /// Keeps the list of a file; nil when it is too long.
  mutating func insert(_ extents: [ExtentRecord]?, of inode: InodeNumber) {
    entries[inode] = Entry(isTooLong: extents == nil, extents: extents)
  }

  /// Notes that rows of an inode change.
  mutating func drop(_ inode: InodeNumber) {
    if !entries.isEmpty { entries[inode] = nil }
  }

  mutating func dropAll() { entries.removeAll() }
}

extension [ExtentRecord] {
  /// The first extent, of a list in order without overlaps, that ends behind `offset`.
  func firstIndex(endingBehind offset: FileOffset) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].end > offset { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
