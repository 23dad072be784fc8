// What the file system tells of changes to the part that knows photos. The file system itself knows none.
//
// Invariants
// 1. Each call that tells of a change is made with the file system's lock held and in the operation that makes the change,
//    or in the savepoint of its rows, so a commit has both or neither. An implementation never gives the lock back.
// 2. Content is told of before it changes: an error thrown then refuses the operation, which has changed no content yet.
//    Names, attributes and rights are told of once they have changed; a failure to note that does not undo the change.
// 3. What an implementation keeps of an inode is in `Inode.sinkMarks` and `Inode.sinkTime`. The file system reads neither.

package import Index
package import SystemPackage
package import Vault

/// Is told of every change of one file system that concerns more than that, and does some work in its threads.
package protocol ChangeSink: AnyObject, Sendable {
  /// The file system was opened. Nothing was changed yet, and none of its threads runs.
  func begin(_ fileSystem: FileSystem)

  /// What threads of the file system are to do, each one of these, from now on until its end. Called where something may be
  /// changed.
  func work(in fileSystem: FileSystem) -> [@Sendable () -> Void]

  /// The threads are to end soon: nothing more is to be begun, and what takes long is to be given up. May be called again.
  func endWork(in fileSystem: FileSystem)

  /// The file system is about to be closed: what is kept in its index is brought up to date, unless that takes long.
  func settle(_ fileSystem: FileSystem)

  /// A regular file is about to be written to at `offset`.
  func noteWrite(
    to inode: Inode, at offset: Int64, _ bytes: UnsafeRawBufferPointer, _ files: borrowing LockedFileSystem
  ) throws(Errno)

  /// The content of a regular file is about to change in another way.
  func noteContentChange(
    of inode: Inode, _ change: ContentChange, _ files: borrowing LockedFileSystem
  ) throws(Errno)

  /// An inode was found by a name, as most are that are changed later.
  func noteFound(_ inode: Inode, by name: FileName)

  /// An inode got a name in a directory, or lost one.
  func noteName(
    _ name: FileName, _ change: NameChange, in directory: InodeNumber, of inode: Inode,
    _ files: borrowing LockedFileSystem)

  /// A name was moved, or two were exchanged.
  func noteMove(_ move: Move, _ files: borrowing LockedFileSystem)

  /// An extended attribute was set or removed.
  func noteAttribute(_ name: [UInt8], of inode: Inode, _ files: borrowing LockedFileSystem)

  /// Who may do what with an inode changed, or its time of modification was set.
  func noteRights(of inode: Inode, _ files: borrowing LockedFileSystem)

  /// A regular file without a name is being deleted from the index. The call is in the savepoint that deletes its row.
  ///
  /// - Returns: inodes without a name that it led to. Each loses a link when the savepoint has ended.
  func noteRemoval(of inode: Inode, in index: Index) throws(IndexError) -> [InodeNumber]

  /// A commit stores what is newer in memory than in the index. The call is in the savepoint that stores inodes.
  func noteCommit(in index: Index, _ files: borrowing LockedFileSystem) throws(IndexError)
}

/// How a content changes that is not written.
package enum ContentChange {
  /// A range of it: by `fallocate` or `copy_file_range`.
  case range
  /// Its end.
  case size
}

/// What became of a name.
package enum NameChange {
  /// It was made together with its inode.
  case made
  /// It is one more name of an inode.
  case added
  /// It was removed.
  case removed
}
