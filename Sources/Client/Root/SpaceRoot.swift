// Invariants
// 1. Nothing outside the space is opened: the kernel follows no symbolic link and leaves neither the directory nor its
//    file system, even if another program changes the path at the same time.

internal import CPlatform
package import Glibc
package import System
package import SystemPackage

/// The root directory of a mounted space. Paths start from it, without a slash at either end; empty for the root
/// itself.
package struct SpaceRoot: Sendable {
  package let descriptor: Descriptor

  /// The space with an open root directory.
  package init(_ descriptor: Descriptor) { self.descriptor = descriptor }

  /// Opens the root directory of the space at a path.
  package init(at path: [UInt8]) throws(Errno) {
    let name = Self.text(path)
    descriptor = Descriptor(try systemCall { unsafe Glibc.open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
  }

  /// Opens the file at a path, without waiting for the other end of a FIFO.
  ///
  /// - Throws: `ELOOP` if the path contains a symbolic link, `EXDEV` if it leaves the space.
  package func open(_ path: [UInt8], _ flags: CInt, mode: UInt32 = 0o600) throws(Errno) -> Descriptor {
    if path.contains(0) { throw .invalidArgument }
    let name = Self.text(path.isEmpty ? [UInt8(ascii: ".")] : path)
    let flags = flags | O_NONBLOCK | O_NOFOLLOW
    return Descriptor(try systemCall { unsafe agonyfs_open_beneath(descriptor.number, name, flags, mode) })
  }

  /// Opens a directory.
  package func directory(_ path: [UInt8]) throws(Errno) -> Descriptor { try open(path, O_RDONLY | O_DIRECTORY) }

  /// Opens the parent directory of a path; returns it with the path's last name.
  ///
  /// - Throws: `EINVAL` for the root itself.
  package func place(of path: [UInt8]) throws(Errno) -> (directory: Descriptor, name: [UInt8]) {
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    let name = Array(path[(slash.map { $0 + 1 } ?? 0)...])
    guard !name.isEmpty, !name.contains(0), name != [0x2E], name != [0x2E, 0x2E] else { throw .invalidArgument }
    return (try directory(slash.map { Array(path[..<$0]) } ?? []), name)
  }

  /// The current path of an open directory of the space; nil if it is not below the root any more.
  package func path(of directory: Descriptor) -> [UInt8]? {
    let slash = UInt8(ascii: "/")
    guard let whole = Self.place(of: directory), let root = Self.place(of: descriptor),
      whole.starts(with: root + [slash]), case let path = Array(whole[(root.count + 1)...]),
      // For a removed directory the kernel appends " (deleted)", and another directory may have that name.
      let there = try? self.directory(path), let (one, other) = try? (Self.status(there), Self.status(directory))
    else { return nil }
    return one.st_ino == other.st_ino && one.st_dev == other.st_dev ? path : nil
  }

  private static func place(of directory: Descriptor) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return -1 }
      return unsafe readlink("/proc/self/fd/\(directory.number)", base, bytes.count)
    }
    // A longer path is cut off.
    guard count > 0, count < bytes.count else { return nil }
    return bytes[0] == UInt8(ascii: "/") && count == 1 ? [] : Array(bytes[..<count])
  }

  private static func status(_ file: Descriptor) throws(Errno) -> stat {
    var status = stat()
    try systemCall { unsafe fstat(file.number, &status) }
    return status
  }

  /// The status at a path; a symbolic link at its end is not followed.
  package func status(of path: [UInt8]) throws(Errno) -> stat {
    if path.isEmpty { return try Self.status(descriptor) }
    let (directory, name) = try place(of: path)
    let text = Self.text(name)
    var status = stat()
    try systemCall { unsafe fstatat(directory.number, text, &status, AT_SYMLINK_NOFOLLOW) }
    return status
  }

  static func text(_ bytes: [UInt8]) -> [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }
}
