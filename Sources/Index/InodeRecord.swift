package import Vault

/// One inode: everything about a file, directory or other object except its names, data and extended attributes.
package struct InodeRecord: Hashable, Sendable {
  /// The number of the inode.
  package var number: InodeNumber
  /// Kind and permissions, as in `st_mode`.
  package var mode: UInt32
  /// The number of its names; for a directory 2 plus the number of its subdirectories.
  package var links: UInt32
  /// The user that owns it.
  package var owner: UInt32
  /// The group that owns it.
  package var group: UInt32
  /// Device number, for device nodes.
  package var device: UInt64
  /// Length in bytes.
  package var size: Int64
  /// Bytes in its extents.
  package var allocated: Int64
  /// Last read, which is not always recorded.
  package var accessed: Timestamp
  /// Last change of the content.
  package var modified: Timestamp
  /// Last change of content or metadata.
  package var changed: Timestamp
  /// Creation.
  package var born: Timestamp
  /// The directory that contains it; directories only.
  package var parent: InodeNumber?
  /// Whether it has extended attributes.
  package var hasExtendedAttributes: Bool
  /// The target of a symbolic link; symbolic links only.
  package var target: [UInt8]?
  /// Whether the row has impossible values, which come only from damage or from an attacker with the key. Sizes and
  /// times here are then the nearest possible values, with which arithmetic is safe.
  package var isDistorted = false

  /// Sets all fields; all four times are `time`.
  package init(
    number: InodeNumber, mode: UInt32, links: UInt32, owner: UInt32, group: UInt32, device: UInt64 = 0,
    size: Int64 = 0, allocated: Int64 = 0, time: Timestamp, parent: InodeNumber? = nil,
    hasExtendedAttributes: Bool = false, target: [UInt8]? = nil
  ) {
    self.number = number
    self.mode = mode
    self.links = links
    self.owner = owner
    self.group = group
    self.device = device
    self.size = size
    self.allocated = allocated
    accessed = time
    modified = time
    changed = time
    born = time
    self.parent = parent
    self.hasExtendedAttributes = hasExtendedAttributes
    self.target = target
  }

  /// The kind of the inode, as in directory entries: `mode` shifted right by 12.
  @inlinable package var kind: UInt8 { UInt8(truncatingIfNeeded: mode >> 12) }
}

/// The user and group that own a new space's root directory.
package struct RootOwner: Sendable {
  /// User.
  package var owner: UInt32
  /// Group.
  package var group: UInt32
  /// Sets both.
  package init(owner: UInt32, group: UInt32) {
    self.owner = owner
    self.group = group
  }
}
