package import Index
package import SystemPackage
package import Vault

/// The file system of one space, without FUSE: inodes, names, file data. Safe to call from any thread.
package final class FileSystem: Sendable {
  /// Opens the file system of a space and starts its background threads. Leftovers of unlinked files are deleted.
  package init(space: Space, options: FileSystemOptions) throws(FileSystemError) { fatalError() }

  /// Builds an empty file system in a space that has none: the index and a root directory of the given owner.
  package static func create(in space: Space, owner: UInt32, group: UInt32) throws(FileSystemError) { fatalError() }

  // MARK: Life

  /// Commits, stops the threads and closes the space. Idempotent. Throws when something could not be stored.
  package func close() throws(Errno) { fatalError() }
  /// How many opens have not been released.
  package var openFileCount: Int { fatalError() }
  /// When the last operation was asked for: nanoseconds of the monotonic clock.
  package var lastActivity: UInt64 { fatalError() }
  /// Whether changes are refused: asked for, or after a failure to write.
  package var isReadOnly: Bool { fatalError() }

  // MARK: Names (FileSystem+Names.swift)

  /// The inode that a name stands for. `ENOENT`, `ENOTDIR`.
  package func lookup(_ name: FileName, in parent: InodeNumber) throws(Errno) -> Attributes { fatalError() }
  /// Makes a file, FIFO, socket or device node. `mode` has type bits; the umask is applied here.
  package func makeNode(
    _ name: FileName, in parent: InodeNumber, mode: UInt32, device: UInt64, caller: Caller
  ) throws(Errno) -> Attributes { fatalError() }
  /// Makes a directory.
  package func makeDirectory(
    _ name: FileName, in parent: InodeNumber, mode: UInt32, caller: Caller
  ) throws(Errno) -> Attributes { fatalError() }
  /// Makes a symbolic link. `ENAMETOOLONG` when the target exceeds 4095 bytes.
  package func makeSymbolicLink(
    target: [UInt8], named name: FileName, in parent: InodeNumber, caller: Caller
  ) throws(Errno) -> Attributes { fatalError() }
  /// Gives an inode one more name. `EPERM` for directories, `EMLINK`.
  package func link(_ inode: InodeNumber, named name: FileName, in parent: InodeNumber) throws(Errno) -> Attributes {
    fatalError()
  }
  /// Takes away a name that is not a directory's, and returns the inode that it stood for. `EISDIR`.
  @discardableResult
  package func unlink(_ name: FileName, in parent: InodeNumber) throws(Errno) -> InodeNumber { fatalError() }
  /// Removes an empty directory and returns its inode number. `ENOTEMPTY`.
  @discardableResult
  package func removeDirectory(_ name: FileName, in parent: InodeNumber) throws(Errno) -> InodeNumber { fatalError() }
  /// Moves or exchanges names.
  package func rename(
    _ name: FileName, in parent: InodeNumber, to newName: FileName, in newParent: InodeNumber, flags: RenameFlags
  ) throws(Errno) { fatalError() }
  /// The target of a symbolic link. `EINVAL` for anything else.
  package func readLink(of inode: InodeNumber) throws(Errno) -> [UInt8] { fatalError() }

  // MARK: Opening (FileSystem+Opening.swift)

  /// Makes a regular file, or takes the one that is there, and opens it.
  package func create(
    _ name: FileName, in parent: InodeNumber, mode: UInt32, flags: OpenFlags, caller: Caller
  ) throws(Errno) -> Attributes { fatalError() }
  /// Opens a file; `release(_:)` must follow. Directories need no opening.
  package func open(_ inode: InodeNumber, flags: OpenFlags) throws(Errno) { fatalError() }
  /// Ends one open.
  package func release(_ inode: InodeNumber) { fatalError() }
  /// The kernel knows the inode no longer: without names and not open, it may be deleted.
  package func forget(_ inode: InodeNumber) { fatalError() }

  // MARK: Attributes (FileSystem+Attributes.swift)

  /// What `stat` tells.
  package func attributes(of inode: InodeNumber) throws(Errno) -> Attributes { fatalError() }
  /// Changes mode, owner, size and times, and returns what holds afterwards.
  package func setAttributes(of inode: InodeNumber, _ changes: AttributeChanges) throws(Errno) -> Attributes {
    fatalError()
  }
  /// What `statfs` tells.
  package func statistics() throws(Errno) -> Statistics { fatalError() }

  // MARK: Data (FileSystem+Read.swift, FileSystem+Write.swift, FileSystem+Space.swift)

  /// Reads bytes from `offset`; fewer than the buffer holds only at the end of the file. `EIO` for damage.
  package func read(
    _ inode: InodeNumber, at offset: FileOffset, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int { fatalError() }
  /// Writes all bytes of the buffer at `offset` and returns their number. `ENOSPC`, `EFBIG`, `EROFS`.
  package func write(
    _ inode: InodeNumber, at offset: FileOffset, from buffer: UnsafeRawBufferPointer
  ) throws(Errno) -> Int { fatalError() }
  /// Makes everything that was done before the call durable (fsync, fdatasync, fsyncdir and syncfs alike).
  package func synchronize() throws(Errno) { fatalError() }
  /// `fallocate`.
  package func allocate(
    _ inode: InodeNumber, mode: AllocationMode, offset: FileOffset, length: Int64
  ) throws(Errno) { fatalError() }
  /// `lseek` for data and holes. `ENXIO` at or past the end.
  package func seek(_ inode: InodeNumber, from offset: FileOffset, to target: SeekTarget) throws(Errno) -> FileOffset {
    fatalError()
  }
  /// Copies within the space by sharing stored data; may copy less than asked for.
  package func copyRange(
    from source: InodeNumber, at sourceOffset: FileOffset, to target: InodeNumber, at targetOffset: FileOffset,
    length: Int64
  ) throws(Errno) -> Int { fatalError() }

  // MARK: Extended attributes (FileSystem+ExtendedAttributes.swift). Names without the final NUL

  /// The value of an extended attribute. `ENODATA`; asking for a buffer size is the caller's matter.
  package func extendedAttribute(_ name: [UInt8], of inode: InodeNumber) throws(Errno) -> [UInt8] { fatalError() }
  /// Sets an extended attribute; ACLs keep the mode in step. `clearsSetGroup`: FUSE_SETXATTR_ACL_KILL_SGID.
  package func setExtendedAttribute(
    _ name: [UInt8], of inode: InodeNumber, value: [UInt8], flags: AttributeFlags, caller: Caller,
    clearsSetGroup: Bool = false
  ) throws(Errno) { fatalError() }
  /// All names, each followed by a NUL.
  package func listExtendedAttributes(of inode: InodeNumber) throws(Errno) -> [UInt8] { fatalError() }
  /// Removes an extended attribute. `ENODATA`.
  package func removeExtendedAttribute(_ name: [UInt8], of inode: InodeNumber) throws(Errno) { fatalError() }

  // MARK: Listing (FileSystem+Listing.swift)

  /// Entries after `cookie` (0: from the start) until `body` returns false: name, inode, kind (`mode >> 12`), cookie.
  /// "." and ".." come first, with cookies 1 and 2. `body` runs under the file system's lock: it must not call back.
  package func list(
    _ directory: InodeNumber, after cookie: UInt64,
    _ body: (_ name: borrowing FileName, _ inode: InodeNumber, _ kind: UInt8, _ cookie: UInt64) -> Bool
  ) throws(Errno) { fatalError() }
  /// As `list(_:after:_:)`, with all attributes. An entry that `body` refused (false) was not taken.
  package func listWithAttributes(
    _ directory: InodeNumber, after cookie: UInt64,
    _ body: (_ name: borrowing FileName, _ attributes: Attributes, _ cookie: UInt64) -> Bool
  ) throws(Errno) { fatalError() }
}
