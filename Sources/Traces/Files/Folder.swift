// Invariants
// 1. No symbolic link is followed below the folder where a search begins: every component of a path is opened by
//    openat(2) with O_NOFOLLOW.
// 2. Only regular files of this user are opened, and no open waits for the other end of a pipe.
// 3. Reading leaves no access time.

internal import Glibc
internal import System
package import SystemPackage

/// A file and the state in which it was seen.
package struct FileIdentity: Equatable, Sendable {
  let device: UInt64
  let inode: UInt64
  let size: Int64
  let modified: [Int]

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }
}

/// An open folder of the user. Names in it are bytes.
package final class Folder: Sendable {
  let descriptor: Descriptor
  /// Its path, for messages.
  package let path: [UInt8]

  private init(_ descriptor: Descriptor, path: [UInt8]) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Opens the folder where a search begins. Links are followed only here, because the user or the environment named
  /// it.
  package static func begin(at path: [UInt8]) throws(Errno) -> Folder {
    Folder(try Descriptor.open(FilePath(bytes: path), O_RDONLY | O_DIRECTORY), path: path)
  }

  /// Opens a folder inside this one.
  ///
  /// - Throws: `ELOOP` for a symbolic link, `ENOTDIR` for any other file that is not a folder.
  package func folder(_ name: [UInt8]) throws(Errno) -> Folder {
    do throws(Errno) {
      let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
      let opened = try Descriptor.open(FilePath(bytes: name), in: descriptor, flags)
      return Folder(opened, path: path(of: name))
    } catch .notDirectory {
      throw try status(of: name).st_mode & S_IFMT == S_IFLNK ? .tooManySymbolicLinkLevels : .notDirectory
    }
  }

  /// Opens a folder below this one by a relative path. Throws as `folder(_:)`.
  package func folder(at path: String) throws(Errno) -> Folder {
    var folder = self
    for name in path.split(separator: "/") { folder = try folder.folder(Array(name.utf8)) }
    return folder
  }

  /// The path of a name in the folder, for messages.
  package func path(of name: [UInt8]) -> [UInt8] {
    path + (path.last == PathBytes.slash ? [] : [PathBytes.slash]) + name
  }

  /// The names in it, sorted by their bytes.
  package func names() throws(Errno) -> [[UInt8]] {
    try Directory.names(in: ".", of: descriptor).sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// fstatat(2) on a name in the folder; symbolic links are not followed.
  func status(of name: [UInt8]) throws(Errno) -> stat {
    var status = stat()
    let text = Self.cString(name)
    try systemCall { unsafe fstatat(descriptor.number, text, &status, AT_SYMLINK_NOFOLLOW) }
    return status
  }

  /// Opens a regular file of this user for reading.
  ///
  /// - Throws: `ELOOP` for a symbolic link, `EPERM` for another user's file, `EINVAL` if it is not a regular file.
  func file(_ name: [UInt8]) throws(Errno) -> OwnFile {
    // Opening a device or pipe may have side effects, so they are never opened.
    try Self.check(try status(of: name))
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    let opened = try Descriptor.openQuietly(FilePath(bytes: name), in: descriptor, flags)
    let status = try opened.status()
    try Self.check(status)
    return OwnFile(opened, status)
  }

  private static func check(_ status: stat) throws(Errno) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFLNK: throw .tooManySymbolicLinkLevels
    case S_IFDIR: throw .isDirectory
    default: throw .invalidArgument
    }
    guard status.st_uid == geteuid() else { throw .notPermitted }
  }

  /// Removes a file if it is still in the state in which it was seen.
  ///
  /// - Throws: `EBUSY` otherwise.
  func remove(_ name: [UInt8], ifStill seen: FileIdentity) throws(Errno) {
    guard FileIdentity(try status(of: name)) == seen else { throw .resourceBusy }
    try unlink(name)
  }

  /// unlinkat(2).
  func unlink(_ name: [UInt8], isFolder: Bool = false) throws(Errno) {
    let text = Self.cString(name)
    try systemCall { unsafe unlinkat(descriptor.number, text, isFolder ? AT_REMOVEDIR : 0) }
  }

  /// The name with a NUL, for system calls.
  static func cString(_ name: [UInt8]) -> [CChar] { name.map { CChar(bitPattern: $0) } + [0] }
}
