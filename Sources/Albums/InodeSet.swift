// The inodes that are in memory, and those of them that the index does not have as they are.

internal import Vault

/// Inodes in memory, under the file system's lock.
struct InodeSet {
  var table: InodeTable
  /// Inodes whose row is out of date.
  var unstored: [Inode] = []
  /// Inodes that lost their last name since the last commit.
  var newOrphans: [Inode] = []
  /// Inodes without a name that are deleted step by step.
  var pendingDeletion = Queue<InodeNumber>()
  /// Opens that were not released, of all inodes.
  var opens = 0

  init(limit: Int) { table = InodeTable(limit: limit) }
}
