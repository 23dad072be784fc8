// The writes that the log states in addition to the index, and those that it does not state yet
// (Committer+Intents.swift).
//
// Invariants
// 1. While `coverEverything` is true, the index as of its last commit, the intents that count, those that are being
//    written and `unstated` have every change between them.
// 2. Intents that count, are being written or are unstated take at most `limit` bytes in the log.

internal import Vault

/// Writes that the log states but the index may not have yet, under the file system's lock.
struct IntentState {
  /// The most bytes of counting intents in the log. Beyond this limit the index is committed.
  private static let limit = 256 << 10

  /// Writes to one file.
  struct Stated {
    let inode: Inode
    var ranges = RangeList()
  }

  /// Whether every change is in the index, in intents or in `unstated`.
  private(set) var coverEverything = true
  /// Writes since the last commit or intent, in order.
  private(set) var unstated: [(inode: Inode, range: Range<Int>)] = []
  /// The writes in intents, both of this mount and of the one before if that crashed.
  private(set) var stated: [InodeNumber: Stated] = [:]
  /// Intents whose files the index does not know, which is damage. They are kept for a repair.
  var misplaced: [WriteIntent] = []
  /// The most bytes that `unstated` takes in the log, and the bytes that intents take.
  private var size = 0
  private var statedSize = 0

  /// Notes a write.
  mutating func note(_ inode: Inode, _ range: Range<Int64>) {
    guard coverEverything else { return }
    let range = Int(range.lowerBound)..<Int(range.upperBound)
    size += WriteIntent.encodedSize(range.count)
    if statedSize + size > Self.limit { return noteOther() }
    if let last = unstated.last, last.inode === inode, last.range.upperBound == range.lowerBound {
      unstated[unstated.count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      unstated.append((inode, range))
    }
  }

  /// Notes a change that no intent can state.
  mutating func noteOther() {
    coverEverything = false
    unstated.removeAll(keepingCapacity: true)
  }

  /// Takes the unstated writes; the caller writes them.
  mutating func takeUnstated() -> [(inode: Inode, range: Range<Int>)] {
    defer { unstated.removeAll() }
    statedSize += size
    size = 0
    return unstated
  }

  /// Notes that the log has the taken writes.
  mutating func noteStated(_ writes: [(inode: Inode, range: Range<Int>)]) {
    for write in writes { noteStated(write.inode, write.range, size: 0) }
  }

  /// Notes that the log has one write, perhaps from an earlier mount.
  mutating func noteStated(_ inode: Inode, _ range: Range<Int>, size: Int) {
    statedSize += size
    stated[inode.number, default: Stated(inode: inode)].ranges.insert(range)
  }

  /// Notes a commit of the index; `isWhole` says that no data waits. Intents of waiting data keep counting in full.
  mutating func noteCommit(ofEverything isWhole: Bool) {
    coverEverything = isWhole
    unstated.removeAll(keepingCapacity: true)
    size = 0
    if isWhole { statedSize = 0 }
    if !stated.isEmpty { stated = stated.filter { !$0.value.inode.buffer.isEmpty } }
  }
}
