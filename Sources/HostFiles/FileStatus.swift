internal import Glibc

/// The kind, identity, size, rights and times of a file.
package struct FileStatus: Hashable, Sendable {
  /// The kind of a file.
  package enum Kind: Sendable {
    case file, directory, symbolicLink, fifo, socket, device
  }

  package var kind: Kind
  package var device: UInt64
  package var inode: UInt64
  package var size: Int64
  package var permissions: UInt32
  package var owner: UInt32
  package var accessed: FileTime
  package var modified: FileTime
  package var changed: FileTime

  /// A status from another source than the kernel.
  package init(
    kind: Kind, device: UInt64, inode: UInt64, size: Int64, permissions: UInt32, owner: UInt32, accessed: FileTime,
    modified: FileTime, changed: FileTime
  ) {
    (self.kind, self.device, self.inode, self.size) = (kind, device, inode, size)
    (self.permissions, self.owner) = (permissions, owner)
    (self.accessed, self.modified, self.changed) = (accessed, modified, changed)
  }

  init(_ information: stat) {
    switch information.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .directory
    case S_IFLNK: kind = .symbolicLink
    case S_IFIFO: kind = .fifo
    case S_IFSOCK: kind = .socket
    default: kind = .device
    }
    device = UInt64(information.st_dev)
    inode = UInt64(information.st_ino)
    size = Int64(information.st_size)
    permissions = information.st_mode & 0o7777
    owner = information.st_uid
    accessed = FileTime(information.st_atim)
    modified = FileTime(information.st_mtim)
    changed = FileTime(information.st_ctim)
  }

  /// The status of a file in an archive, which belongs to no user and no device.
  package init(size: Int64, modified: FileTime) {
    self.init(
      kind: .file, device: .max, inode: 0, size: size, permissions: 0o644, owner: 0, accessed: modified,
      modified: modified, changed: modified)
  }

  /// Whether a file with the same name has the same content as before, by its status. The inode number is ignored,
  /// because some file systems change it (FAT, some FUSE file systems).
  package func isUnchanged(since before: FileStatus) -> Bool {
    kind == before.kind && device == before.device && size == before.size && modified == before.modified
      && changed == before.changed
  }
}

/// A point in time of a file.
package struct FileTime: Hashable, Sendable {
  /// Seconds since 1970.
  package var seconds: Int64
  package var nanoseconds: Int64

  /// Nanoseconds must be below 1,000,000,000.
  package init(seconds: Int64, nanoseconds: Int64) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(_ time: timespec) {
    seconds = Int64(time.tv_sec)
    nanoseconds = Int64(time.tv_nsec)
  }

  var timespec: Glibc.timespec { Glibc.timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds)) }
}

/// The hash of a file's content, and its length in bytes.
package struct FileDigest: Hashable, Sendable {
  package var size: Int64
  /// The hash that `ContentHasher` computes.
  package var hash: [UInt8]

  /// A digest of a known size and hash.
  package init(size: Int64, hash: [UInt8]) {
    self.size = size
    self.hash = hash
  }
}
