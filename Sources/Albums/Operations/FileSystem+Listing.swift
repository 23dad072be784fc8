package import Index
package import SystemPackage
package import Vault

/// Lists directories. A cookie belongs to its entry for good, so nothing is kept between two calls.
extension FileSystem {
  /// Calls `body` for the entries after `cookie` (0: from the start) until it returns false: name, inode, kind
  /// (`mode >> 12`), cookie. "." and ".." come first, with cookies 1 and 2. `body` runs under the file system's lock:
  /// it must not call back.
  ///
  /// - Throws: `ENOTDIR`, `EIO`.
  package func list(
    _ directory: InodeNumber, after cookie: UInt64,
    _ body: (_ name: borrowing FileName, _ inode: InodeNumber, _ kind: UInt8, _ cookie: UInt64) -> Bool
  ) throws(Errno) {
    try reading { files throws(Errno) in
      let inode = try files.directory(directory)
      let kind = inode.record.kind
      for (name, number, place) in Self.own(inode) where place > cookie {
        guard body(name, number, kind, place) else { return }
      }
      try files.withIndex { index throws(IndexError) in
        try index.forEachDentry(parent: directory, after: max(cookie, 2)) { entry in
          entry.name.isListed ? body(entry.name, entry.inode, entry.kind, entry.cookie) : true
        }
      }
    }
  }

  /// Like `list(_:after:_:)`, with all attributes. An entry for which `body` returns false was not listed.
  ///
  /// - Throws: `ENOTDIR`, `EIO`.
  package func listWithAttributes(
    _ directory: InodeNumber, after cookie: UInt64,
    _ body: (_ name: borrowing FileName, _ attributes: Attributes, _ cookie: UInt64) -> Bool
  ) throws(Errno) {
    try reading { files throws(Errno) in
      let inode = try files.directory(directory)
      for (name, number, place) in Self.own(inode) where place > cookie {
        guard body(name, files.attributes(try files.inode(number)), place) else { return }
      }
      try files.withIndex { index throws(IndexError) in
        try index.forEachDentryWithInode(parent: directory, after: max(cookie, 2)) { entry, record in
          guard entry.name.isListed else { return true }
          // The row of an inode in memory may be out of date. Listing brings no inode into memory.
          let found = files.inodes[entry.inode].map { files.attributes($0) } ?? Attributes(record)
          return body(entry.name, found, entry.cookie)
        }
      }
    }
  }

  /// "." and "..".
  private static func own(_ directory: Inode) -> [(FileName, InodeNumber, UInt64)] {
    guard let dot = FileName([0x2E]), let dotDot = FileName([0x2E, 0x2E]) else { return [] }
    return [(dot, directory.number, 1), (dotDot, directory.record.parent ?? directory.number, 2)]
  }
}
