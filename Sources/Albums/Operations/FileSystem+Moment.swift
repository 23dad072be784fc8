// The file system as of a moment, for those who read much of it and must not hold the lock as long.
//
// Invariants
// 1. A moment is between two operations: it has all that each of them changed, or nothing of it.
// 2. Taking one writes nothing and waits for no disk: the index commits in memory (`Committer.gather`), and the pages that
//    the log lacks are read from there. So a full disk, a failure or nothing to write are no matter, and no file of the vault
//    tells that somebody reads.
// 3. Nobody waits for one. It ends when a segment of the log goes that it needs, and reading it fails with `ECANCELED` then;
//    a later moment has to be taken.

package import Index
package import SystemPackage
package import Vault

/// The rows of a file system as of a moment.
package struct FilesMoment: Sendable {
  /// The pages of the index.
  package let pages: IndexPages
  /// Which commit of the index they are of: moments with the same number have the same pages.
  package let revision: UInt64
  /// The records of inodes whose rows are out of date.
  package let newer: [InodeNumber: InodeRecord]
}

extension LockedFileSystem {
  /// The file system as it is now.
  ///
  /// - Parameter known: gives the pages of a moment that was taken before and has not ended, by its number; nil if there is
  ///   none.
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
