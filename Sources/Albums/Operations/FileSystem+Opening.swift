package import Index
internal import System
package import SystemPackage
package import Vault

/// Opens, closes and forgets inodes, and lists those in memory.
extension FileSystem {
  /// Opens a regular file. Creates it if it does not exist.
  ///
  /// - Throws: `EEXIST` with `.exclusive`; `EISDIR`; otherwise as `makeNode` and `open`.
  package func create(
    _ name: FileName, in parent: InodeNumber, mode: UInt32, flags: OpenFlags, caller: Caller
  ) throws(Errno) -> Attributes {
    let request = NewInode(kind: FileKind.regular, permissions: mode & 0o7777)
    return try changing { files throws(ChangeError) in
      let existing = try files.existing(name, in: parent, flags)
      let inode = if let existing { existing } else { try files.make(request, name, in: parent, caller) }
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

  /// The kernel has forgotten the inode: without a name it is deleted, unless it is open.
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

extension LockedFileSystem {
  /// An existing inode with the name, emptied with `.truncate`; nil if nothing has the name.
  fileprivate mutating func existing(
    _ name: FileName, in parent: InodeNumber, _ flags: OpenFlags
  ) throws(ChangeError) -> Inode? {
    do throws(Errno) {
      _ = try directory(parent)
      guard let (_, existing) = try find(name, in: parent) else { return nil }
      if flags.contains(.exclusive) { throw .fileExists }
      if existing.isDirectory { throw .isDirectory }
      guard flags.contains(.truncate), existing.isRegular else { return existing }
      return try data.resize(existing.number, to: 0)
    } catch {
      throw .failed(error)
    }
  }
}
