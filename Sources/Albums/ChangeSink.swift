// The calls by which the file system reports changes to the part that knows photos. The file system itself knows no
// photos.
//
// Invariants
// 1. Each call that reports a change is made with the file system's lock held and in the operation that makes the
//    change, or in the savepoint of its rows, so a commit has both or neither. An implementation never releases the
//    lock.
// 2. Content is reported before it changes: an error thrown then refuses the operation, which has changed no content
//    yet. Names, attributes and rights are reported after they have changed; a failure to note that does not undo the
//    change.
// 3. An implementation keeps its data about an inode in `Inode.sinkMarks` and `Inode.sinkTime`. The file system reads
//    neither.

package import Index
package import SystemPackage
package import Vault

/// Receives every change of one file system that matters outside the file system, and does some work in its threads.
package protocol ChangeSink: AnyObject, Sendable {
  /// The file system was opened. Nothing was changed yet, and none of its threads is running.
  func begin(_ fileSystem: FileSystem)

  /// The work of threads of the file system, one function for each thread, from now on until its end. Called only if
  /// changes may be possible.
  func work(in fileSystem: FileSystem) -> [@Sendable () -> Void]

  /// The threads must end soon: they begin nothing more, and give up long work. May be called again.
  func endWork(in fileSystem: FileSystem)

  /// The file system is about to be closed: brings the sink's data in the index up to date, unless that takes long.
  func settle(_ fileSystem: FileSystem)

  /// A regular file is about to be written to at `offset`.
  func noteWrite(
    to inode: Inode, at offset: Int64, _ bytes: UnsafeRawBufferPointer, _ files: borrowing LockedFileSystem
  ) throws(Errno)

  /// The content of a regular file is about to change in another way.
  func noteContentChange(
    of inode: Inode, _ change: ContentChange, _ files: borrowing LockedFileSystem
  ) throws(Errno)

  /// An inode was found by a name, which happens to most inodes before they are changed.
  func noteFound(_ inode: Inode, by name: FileName)

  /// An inode got a name in a directory, or lost one.
  func noteName(
    _ name: FileName, _ change: NameChange, in directory: InodeNumber, of inode: Inode,
    _ files: borrowing LockedFileSystem)

  /// A name was moved, or two were exchanged.
  func noteMove(_ move: Move, _ files: borrowing LockedFileSystem)

  /// An extended attribute was set or removed.
  func noteAttribute(_ name: [UInt8], of inode: Inode, _ files: borrowing LockedFileSystem)

  /// The access rights of an inode changed, or its time of modification was set.
  func noteRights(of inode: Inode, _ files: borrowing LockedFileSystem)

  /// A regular file without a name is being deleted from the index. The call is in the savepoint that deletes its row.
  ///
  /// - Returns: inodes without a name that this inode led to. Each loses a link when the savepoint has ended.
  func noteRemoval(of inode: Inode, in index: Index) throws(IndexError) -> [InodeNumber]

  /// A commit stores data that is newer in memory than in the index. The call is in the savepoint that stores inodes.
  func noteCommit(in index: Index, _ files: borrowing LockedFileSystem) throws(IndexError)
}

/// How content changes without being written.
package enum ContentChange {
  /// A range of it: by `fallocate` or `copy_file_range`.
  case range
  /// Its end.
  case size
}

/// What happened to a name.
package enum NameChange {
  /// It was created together with its inode.
  case made
  /// It is another name of an inode that already had one.
  case added
  /// It was removed.
  case removed
}
