package import Index
internal import System
package import SystemPackage
package import Vault

/// Opening, closing and forgetting, and what is in memory.
extension FileSystem {
  /// Opens a regular file, and makes it if it does not exist.
  ///
  /// - Throws: `EEXIST` with `.exclusive`; `EISDIR`; otherwise as `makeNode` and `open`.
  package func create(
    _ name: FileName, in parent: InodeNumber, mode: UInt32, flags: OpenFlags, caller: Caller
  ) throws(Errno) -> Attributes {
    try changing { files throws(Errno) in
      _ = try files.directory(parent)
      var inode: Inode
      if let (_, existing) = try files.find(name, in: parent) {
        if flags.contains(.exclusive) { throw .fileExists }
        if existing.isDirectory { throw .isDirectory }
        inode = existing
        if flags.contains(.truncate), existing.isRegular { inode = try files.data.resize(existing.number, to: 0) }
      } else {
        let request = NewInode(kind: FileKind.regular, permissions: mode & 0o7777)
        inode = try files.make(request, name, in: parent, caller)
      }
      files.inodes.noteOpened(inode)
      return files.attributes(inode)
    }
  }

  /// Opens a file; `release(_:)` must follow. Directories need no opening.
  ///
  /// - Throws: `EROFS` when it is opened for writing and nothing may be changed.
  package func open(_ inode: InodeNumber, flags: OpenFlags) throws(Errno) {
    if flags.contains(.truncate) {
      try changing { files throws(Errno) in
        let inode = try files.data.resize(inode, to: 0)
        files.inodes.noteOpened(inode)
      }
    } else {
      try reading { files throws(Errno) in
        if flags.contains(.write), let refusal = files.refusal { throw refusal }
        let inode = try files.inode(inode)
        files.inodes.noteOpened(inode)
      }
    }
  }

  /// Ends one open.
  package func release(_ inode: InodeNumber) {
    locked { files in
      guard let inode = files.inodes[inode], inode.opens > 0 else { return }
      files.inodes.noteReleased(inode)
      if inode.opens == 0, !inode.buffer.isEmpty, files.writeBack.noteClosed(inode) {
        files.signals[.flushWork].signal()
      }
    }
  }

  /// The kernel has forgotten the inode: it is deleted if it has no name and is not open.
  package func forget(_ inode: InodeNumber) {
    locked { files in
      guard let inode = files.inodes[inode], inode.record.links == 0, inode.opens == 0 else { return }
      files.reaper.delete(inode)
    }
  }

  /// The inodes that are open.
  package var openInodes: [InodeNumber] { locked { $0.inodes.all.filter { $0.opens > 0 }.map(\.number) } }

  /// The inodes in memory: those that are open, and a number of those that were used last.
  package var inodesInMemory: [InodeNumber] { locked { $0.inodes.all.map(\.number) } }
}
