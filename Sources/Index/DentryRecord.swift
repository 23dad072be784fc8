package import Vault

/// One name in a directory.
package struct DentryRecord: Hashable, Sendable {
  /// The name.
  package var name: FileName
  /// The inode that it names.
  package var inode: InodeNumber
  /// The kind of the inode: `st_mode` shifted right by 12.
  package var kind: UInt8
  /// The entry's place in listings: unique in the space, and kept as long as the entry.
  package var cookie: UInt64

  /// Sets all fields.
  package init(name: FileName, inode: InodeNumber, kind: UInt8, cookie: UInt64) {
    self.name = name
    self.inode = inode
    self.kind = kind
    self.cookie = cookie
  }
}

/// A directory entry and its directory.
package struct LocatedDentry: Hashable, Sendable {
  /// The directory.
  package var parent: InodeNumber
  /// The entry.
  package var entry: DentryRecord

  /// Sets both.
  package init(parent: InodeNumber, entry: DentryRecord) {
    self.parent = parent
    self.entry = entry
  }
}
