package import Index
internal import System
package import SystemPackage
package import Vault

/// Opening, closing and forgetting.
extension FileSystem {
  /// Makes a regular file, or takes the one that is there, and opens it.
  ///
  /// - Throws: `EEXIST` with `.exclusive`; `EISDIR`; otherwise as `makeNode` and `open`.
  package func create(
    _ name: FileName, in parent: InodeNumber, mode: UInt32, flags: OpenFlags, caller: Caller
  ) throws(Errno) -> Attributes {
    try changing { () throws(Errno) in
      _ = try directory(parent)
      var inode: Inode
      if let (_, existing) = try find(name, in: parent) {
        if flags.contains(.exclusive) { throw .fileExists }
        if existing.isDirectory { throw .isDirectory }
        inode = existing
        if flags.contains(.truncate), existing.isRegular { inode = try resize(existing.number, to: 0) }
      } else {
        let request = NewInode(kind: FileKind.regular, permissions: mode & 0o7777)
        inode = try make(request, name, in: parent, caller)
      }
      inodes.noteOpened(inode)
      return attributes(inode)
    }
  }

  /// Opens a file; `release(_:)` must follow. Directories need no opening.
  ///
  /// - Throws: `EROFS` when it is opened for writing and nothing may be changed.
  package func open(_ inode: InodeNumber, flags: OpenFlags) throws(Errno) {
    if flags.contains(.truncate) {
      try changing { () throws(Errno) in
        inodes.noteOpened(try resize(inode, to: 0))
      }
    } else {
      try reading { () throws(Errno) in
        if flags.contains(.write), let refusal { throw refusal }
        inodes.noteOpened(try self.inode(inode))
      }
    }
  }

  /// Ends one open.
  package func release(_ inode: InodeNumber) {
    monitor.lock()
    defer { monitor.unlock() }
    guard let inode = inodes.table[inode], inode.opens > 0 else { return }
    inodes.noteReleased(inode)
    if inode.opens == 0, !inode.buffer.isEmpty { noteClosed(inode) }
  }

  /// The kernel knows the inode no longer: without names and not open, it is deleted.
  package func forget(_ inode: InodeNumber) {
    monitor.lock()
    defer { monitor.unlock() }
    guard let inode = inodes.table[inode], inode.record.links == 0, inode.opens == 0 else { return }
    delete(inode)
  }
}
