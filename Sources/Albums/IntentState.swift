// Which writes the log states beside the index, and which it does not yet (FileSystem+Intents.swift).
//
// Invariants
// 1. While `coverEverything` is true, the index as of its last commit, the intents that count, those that are being
//    written and `unstated` have every change between them.
// 2. Intents that count, are being written or are unstated take at most `limit` bytes in the log.

internal import Vault

/// What the log states of writes that the index does not have, or soon will.
struct IntentState {
  /// Bytes of intents that count at a time, in the log; with more the index is committed.
  private static let limit = 256 << 10

  /// Writes to one file.
  struct Stated {
    let inode: Inode
    var ranges = RangeList()
  }

  /// Whether no change but of those that are in the index, in intents or in `unstated` was made.
  private(set) var coverEverything = true
  /// Writes since the last commit or intent, in order.
  private(set) var unstated: [(inode: Inode, range: Range<Int>)] = []
  /// What the intents of this mount, and of the one before if it crashed, say.
  private(set) var stated: [InodeNumber: Stated] = [:]
  /// Intents whose files the index does not know, which is damage: they are kept for a repair.
  var misplaced: [WriteIntent] = []
  /// Bytes that `unstated` takes in the log at most, and those that the intents which count take.
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

  /// Notes a change that no intent can say.
  mutating func noteOther() {
    coverEverything = false
    unstated.removeAll(keepingCapacity: true)
  }

  /// Takes what is unstated, to be written.
  mutating func takeUnstated() -> [(inode: Inode, range: Range<Int>)] {
    defer { unstated.removeAll() }
    statedSize += size
    size = 0
    return unstated
  }

  /// Notes that the log has what was taken.
  mutating func noteStated(_ writes: [(inode: Inode, range: Range<Int>)]) {
    for write in writes { noteStated(write.inode, write.range, size: 0) }
  }

  /// The same for one write, of a mount before.
  mutating func noteStated(_ inode: Inode, _ range: Range<Int>, size: Int) {
    statedSize += size
    stated[inode.number, default: Stated(inode: inode)].ranges.insert(range)
  }

  /// Notes a commit of the index, which has everything if nothing waits. What then still counts of the intents counts
  /// in full.
  mutating func noteCommit(ofEverything isWhole: Bool) {
    coverEverything = isWhole
    unstated.removeAll(keepingCapacity: true)
    size = 0
    if isWhole { statedSize = 0 }
    if !stated.isEmpty { stated = stated.filter { !$0.value.inode.buffer.isEmpty } }
  }
}
