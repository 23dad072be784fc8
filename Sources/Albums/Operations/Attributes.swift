package import Index
package import Vault

/// The result of `stat` for an inode. Unlike a record it is never stored, because it counts data that waits to be
/// written.
package struct Attributes: Sendable {
  /// The inode's number; the kernel's node id as well.
  package var inode: InodeNumber
  /// As in the record.
  package var mode, links, owner, group: UInt32
  /// As in the record.
  package var device: UInt64
  /// As in the record.
  package var size: Int64
  /// Bytes that are stored or wait to be written.
  package var allocated: Int64
  /// As in the record.
  package var accessed, modified, changed, born: Timestamp

  /// The attributes of a record; `waiting` counts bytes that wait to be written, in addition to those in the record.
  package init(_ record: InodeRecord, waiting: Int64 = 0) {
    (inode, device, size, allocated) = (record.number, record.device, record.size, record.allocated + waiting)
    (mode, links, owner, group) = (record.mode, record.links, record.owner, record.group)
    (accessed, modified, changed, born) = (record.accessed, record.modified, record.changed, record.born)
  }

  /// The kind of the inode, as in directory entries.
  package var kind: UInt8 { UInt8(truncatingIfNeeded: mode >> 12) }
  /// Allocated room in units of 512 bytes, as in `st_blocks`.
  package var blocks512: UInt64 { UInt64(max(0, allocated) + 511) / 512 }
}

/// A new value for a time.
package enum TimeChange: Sendable, Equatable {
  /// The time at which the call is carried out.
  case now
  /// The given time.
  case at(Timestamp)
}

/// The changes that `FileSystem.setAttributes(of:_:)` makes; nil changes nothing.
package struct AttributeChanges: Sendable {
  /// New permission bits, set-id bits and sticky bit; type bits are ignored.
  package var mode: UInt32?
  /// New owner.
  package var owner: UInt32?
  /// New group.
  package var group: UInt32?
  /// New size in bytes.
  package var size: Int64?
  /// New access time.
  package var accessed: TimeChange?
  /// New modification time.
  package var modified: TimeChange?
  /// New change time: a write-back cache in the kernel sends one. Otherwise every change sets it to now.
  package var changed: Timestamp?
  /// The caller.
  package var caller: Caller

  /// No change yet.
  package init(caller: Caller) { self.caller = caller }
}

/// The caller of an operation.
package struct Caller: Sendable {
  /// Effective user id.
  package var user: UInt32
  /// Effective group id.
  package var group: UInt32
  /// Process (thread) id.
  package var process: Int32
  /// The umask. The file system applies it itself, because a default ACL replaces it.
  package var umask: UInt32

  /// Sets all fields.
  package init(user: UInt32, group: UInt32, process: Int32 = 0, umask: UInt32 = 0) {
    self.user = user
    self.group = group
    self.process = process
    self.umask = umask
  }
}

/// The result of `statfs`. Sizes are in units of `blockSize`.
package struct Statistics: Sendable {
  /// Unit of the other sizes, in bytes.
  package var blockSize: UInt64
  /// Size of the host's file system.
  package var blocks: UInt64
  /// Free there.
  package var freeBlocks: UInt64
  /// Free for new data of this space.
  package var availableBlocks: UInt64
  /// Inodes: those in use and those that could still be made.
  package var files: UInt64
  /// Inodes that could still be made.
  package var freeFiles: UInt64
  /// Longest name in bytes.
  package var maximumNameLength: UInt64
}
