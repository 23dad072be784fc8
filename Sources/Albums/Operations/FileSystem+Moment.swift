// The file system as of a moment, for readers that read much of it and must not hold the lock for that long.
//
// Invariants
// 1. A moment is between two operations: it has all changes of each operation, or none of them.
// 2. Taking one writes nothing and waits for no disk: the index commits in memory (`Committer.gather`), and pages that
//    the log lacks are read from there. So it works on a full disk, after a failure and without any change to write,
//    and no file of the vault shows that a program reads.
// 3. A moment delays nothing. It ends when a segment of the log that it needs is deleted. Reading it then fails with
//    `ECANCELED`, and the reader must take a later moment.

package import Index
package import SystemPackage
package import Vault

/// The rows of a file system as of a moment.
package struct FilesMoment: Sendable {
  /// The pages of the index.
  package let pages: IndexPages
  /// The commit of the index from which the pages are: moments with the same number have the same pages.
  package let revision: UInt64
  /// The records of inodes whose rows are out of date.
  package let newer: [InodeNumber: InodeRecord]
}

extension LockedFileSystem {
  /// The file system as it is now.
  ///
  /// - Parameter known: returns the pages of an earlier moment that has not ended, by its number; nil if there is none.
  /// - Throws: `EIO`; `ECANCELED` when the space is closed.
  package func moment(reusing known: (UInt64) -> IndexPages?) throws(Errno) -> FilesMoment {
    try committer.gather()
    var newer: [InodeNumber: InodeRecord] = [:]
    for inode in inodes.stale where inode.isStale { newer[inode.number] = inode.record }
    let revision = index.revision
    if let pages = known(revision) { return FilesMoment(pages: pages, revision: revision, newer: newer) }
    return FilesMoment(pages: try pages(), revision: revision, newer: newer)
  }

  private func pages() throws(Errno) -> IndexPages {
    do throws(VaultError) {
      return IndexPages(try space.snapshot(), unlogged: index.unlogged)
    } catch {
      throw failed(error)
    }
  }
}
