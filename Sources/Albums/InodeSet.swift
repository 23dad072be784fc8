// The inodes in memory, and which of their rows in the index are out of date. Inodes that are open, changed, written to
// or without a name stay. Of the others a bounded number stays, those used last (second chance).
//
// Invariants
// 1. For each inode number there is at most one `Inode`, and it counts, no matter what the row says.
// 2. Only an inode whose row is up to date is evicted (`isPinned` is false).
// 3. `queue` names every inode in memory once. It may also name some that are gone.
// 4. `stale` has every inode whose row is out of date, once. It may also have inodes that were deleted since.
// 5. `newOrphans` has every inode that lost its last name and is not among the index's orphans, once. It may also have
//    inodes that were deleted since.
// 6. `opens` counts the opens of callers. A file whose thumbnails are being made counts as open only in its inode.

internal import System
internal import Vault

/// Inodes in memory, under the file system's lock.
struct InodeSet {
  private var inodes: [InodeNumber: Inode] = [:]
  private var queue = Queue<InodeNumber>()
  private let limit: Int
  /// Inodes whose row is out of date.
  private(set) var stale: [Inode] = []
  /// Inodes that lost their last name since the last commit.
  private(set) var newOrphans: [Inode] = []
  /// Inodes without a name that are deleted step by step.
  private(set) var pendingDeletion = Queue<InodeNumber>()
  /// Opens of all inodes that are not released yet.
  private(set) var opens = 0

  /// A set that keeps about `limit` inodes in addition to those that must stay.
  init(limit: Int) { self.limit = limit }

  var all: Dictionary<InodeNumber, Inode>.Values { inodes.values }

  /// The inode, if it is in memory.
  subscript(number: InodeNumber) -> Inode? {
    let inode = inodes[number]
    inode?.wasUsed = true
    return inode
  }

  /// Adds an inode that is not in memory.
  mutating func insert(_ inode: Inode) {
    inodes[inode.number] = inode
    queue.append(inode.number)
  }

  /// Evicts inodes that need not stay, while there are too many. Looks at no more than `steps` of them.
  mutating func shrink(steps: Int) {
    var left = steps
    while left > 0, inodes.count > limit || queue.count > 2 * inodes.count + limit, let number = queue.popFirst() {
      left -= 1
      guard let inode = inodes[number] else { continue }
      if inode.wasUsed || inode.isPinned {
        inode.wasUsed = false
        queue.append(number)
      } else {
        inodes[number] = nil
      }
    }
  }

  mutating func noteOpened(_ inode: Inode) {
    inode.opens += 1
    opens += 1
  }

  mutating func noteReleased(_ inode: Inode, count: Int = 1) {
    inode.opens -= count
    opens -= count
  }

  /// Notes that an inode's record was changed.
  mutating func noteStale(_ inode: Inode) {
    if inode.noteStale() { stale.append(inode) }
  }

  /// Notes that an inode lost its last name.
  mutating func noteOrphaned(_ inode: Inode) {
    if inode.noteOrphaned() { newOrphans.append(inode) }
  }

  /// Notes that rows and orphans were written. The row of an inode whose data waits for room is written again.
  mutating func noteStored() {
    for inode in stale where inode.buffer.isEmpty { inode.noteStored() }
    stale.removeAll { !$0.isStale }
    for inode in newOrphans { inode.noteListed() }
    newOrphans.removeAll()
  }

  /// Queues an inode for deletion, or for the next step of it.
  mutating func queueDeletion(of inode: Inode) { pendingDeletion.append(inode.number) }

  /// The next inode of the queue.
  mutating func nextDeletion() -> InodeNumber? { pendingDeletion.popFirst() }

  /// Notes that the index no longer has any part of an inode.
  mutating func noteDeleted(_ inode: Inode) {
    inode.noteDeleted()
    inodes[inode.number] = nil
  }

  /// Forgets all inodes with their changes, and returns them. Opens still count.
  mutating func removeAll() -> [Inode] {
    defer {
      inodes.removeAll()
      queue = Queue()
      stale.removeAll()
      newOrphans.removeAll()
    }
    return Array(all)
  }
}
