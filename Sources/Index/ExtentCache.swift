// All extents of the few files that are read or changed at many places, so that not every question needs SQLite.
//
// Invariants
// 1. What an entry lists is all that `extent` says of the inode now: what changes its rows changes the list or drops it, and a rollback
//    drops all lists.
// 2. A file gets its list only after several questions, so that a file that is written once is not listed in vain.

internal import Vault

/// Extents of some inodes, in order.
struct ExtentCache {
  /// Inodes that are counted or listed.
  private static let limit = 16
  /// Questions before all extents of a file are read at once, which costs as much as some dozen questions.
  private static let worthwhile = 16
  /// Extents of the largest file that is listed.
  static let longest = 4096
  /// Extents of the longest list that changes follow; beyond, moving what is behind costs more than it saves.
  private static let longestChanged = 512

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

  /// Notes that the rows that begin in `range` became `new`, which are in order and lie where those did.
  mutating func replace(_ inode: InodeNumber, _ range: ClosedRange<FileOffset>, with new: [ExtentRecord]) {
    guard let count = entries[inode]?.extents?.count else { return }
    if count > Self.longestChanged {
      // So that it is not read again and again while it is changed.
      entries[inode] = Entry(questions: -count)
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

  /// Forgets a list, when rows of its inode change in another way.
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
