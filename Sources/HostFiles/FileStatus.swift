internal import Glibc

/// What identifies the content of a file, and what is kept of it.
package struct FileStatus: Hashable, Sendable {
  /// What a name leads to.
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

  /// What another file system than the kernel's says of a file.
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

  /// The status of a file of an archive, which is nobody's and on no device.
  package init(size: Int64, modified: FileTime) {
    self.init(
      kind: .file, device: .max, inode: 0, size: size, permissions: 0o644, owner: 0, accessed: modified,
      modified: modified, changed: modified)
  }

  /// Whether a file of this name still has the content that it had, by what its status says. Some file systems give a
  /// file another inode number from time to time (FAT, those of programs), so that is not looked at.
  package func isUnchanged(since before: FileStatus) -> Bool {
    kind == before.kind && device == before.device && size == before.size && modified == before.modified
      && changed == before.changed
  }
}

/// A time of a file.
package struct FileTime: Hashable, Sendable {
  /// Seconds since 1970.
  package var seconds: Int64
  package var nanoseconds: Int64

  /// A time; nanoseconds are below 1,000,000,000.
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

/// The hash of a file's content, and its length.
package struct FileDigest: Hashable, Sendable {
  package var size: Int64
  /// As `ContentHasher` makes it.
  package var hash: [UInt8]

  /// Takes both.
  package init(size: Int64, hash: [UInt8]) {
    self.size = size
    self.hash = hash
  }
}
