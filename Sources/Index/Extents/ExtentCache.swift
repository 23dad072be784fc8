// All extents of the few files that are read or changed at many places, to avoid an SQLite query for every lookup.
//
// Invariants
// 1. An entry lists exactly the rows of `extent` for its inode. A change of the rows changes or drops the list. A
//    rollback drops all lists.
// 2. A file is listed only after several lookups, so that files that are written once are never listed.

internal import System
internal import Vault

/// Extents of some inodes, in order.
struct ExtentCache {
  /// The most inodes with an entry.
  private static let limit = 16
  /// Lookups in a file before all its extents are read, which costs as much as some dozen lookups.
  private static let lookupsBeforeListing = 16
  /// The most extents of a listed file.
  static let longest = 4096
  /// The most extents of a list that is updated. In longer lists, moving elements costs more than it saves.
  private static let longestChanged = 512

  private struct Entry {
    var lookups = 0
    var isTooLong = false
    var extents: [ExtentRecord]?
  }

  private var entries: [InodeNumber: Entry] = [:]

  /// The list of a file; nil if there is none.
  func extents(of inode: InodeNumber) -> [ExtentRecord]? { entries[inode]?.extents }

  /// Counts a cache miss; true when the file should be listed.
  mutating func miss(_ inode: InodeNumber) -> Bool {
    if entries[inode] == nil, entries.count >= Self.limit { entries.removeAll(keepingCapacity: true) }
    entries[inode, default: Entry()].lookups += 1
    guard let entry = entries[inode] else { return false }
    return entry.lookups >= Self.lookupsBeforeListing && !entry.isTooLong
  }

  /// Stores the list of a file; nil if it is too long.
  mutating func insert(_ extents: [ExtentRecord]?, of inode: InodeNumber) {
    entries[inode] = Entry(isTooLong: extents == nil, extents: extents)
  }

  /// Replaces the rows that begin in `range` by `new`, which is in order and covers the same part of the file.
  mutating func replace(_ inode: InodeNumber, _ range: ClosedRange<FileOffset>, with new: [ExtentRecord]) {
    guard let count = entries[inode]?.extents?.count else { return }
    if count > Self.longestChanged {
      // Avoid listing the file again and again while it changes.
      entries[inode] = Entry(lookups: -count)
      return
    }
    var first = 0
    var end = 0
    if let list = entries[inode]?.extents {
      first = list.firstIndex(endingBehind: range.lowerBound)
      end = first
      while end < list.count, list[end].offset <= range.upperBound { end += 1 }
    }
    entries[inode]?.extents?.replaceSubrange(first..<end, with: new)
  }

  /// Drops the list of an inode whose rows change in another way.
  mutating func drop(_ inode: InodeNumber) {
    if !entries.isEmpty { entries[inode] = nil }
  }

  mutating func dropAll() { entries.removeAll() }
}

extension [ExtentRecord] {
  /// The index of the first extent that ends after `offset`, in a sorted list without overlaps.
  func firstIndex(endingBehind offset: FileOffset) -> Int {
    prefixCount { $0.end <= offset }
  }
}
