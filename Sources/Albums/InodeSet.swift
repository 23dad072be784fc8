// The inodes in memory, and which of them the index does not have as they are.
//
// Invariants
// 1. `stale` has every inode whose row is out of date, once. Those deleted meanwhile may be in it, too.
// 2. `newOrphans` has every inode that lost its last name and is not among the index's orphans, once. Those deleted
//    meanwhile may be in it, too.
// 3. `opens` counts the opens of callers. A file whose thumbnails are made counts as open in its inode only.

internal import Vault

/// Inodes in memory, under the file system's lock.
struct InodeSet {
  private(set) var table: InodeTable
  /// Inodes whose row is out of date.
  private(set) var stale: [Inode] = []
  /// Inodes that lost their last name since the last commit.
  private(set) var newOrphans: [Inode] = []
  /// Inodes without a name that are deleted step by step.
  private(set) var pendingDeletion = Queue<InodeNumber>()
  /// Opens that were not released, of all inodes.
  private(set) var opens = 0

  init(limit: Int) { table = InodeTable(limit: limit) }

  /// Adds an inode that is not in memory.
  mutating func insert(_ inode: Inode) { table.insert(inode) }

  /// Evicts inodes that need not stay, while there are too many.
  mutating func shrink(steps: Int) { table.shrink(steps: steps) }

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

  /// Notes that the index has nothing of an inode any more.
  mutating func noteDeleted(_ inode: Inode) {
    inode.noteDeleted()
    table.remove(inode.number)
  }

  /// Forgets all inodes with their changes, and returns them. Opens still count.
  mutating func removeAll(limit: Int) -> InodeTable {
    let old = table
    table = InodeTable(limit: limit)
    stale.removeAll()
    newOrphans.removeAll()
    return old
  }
}
