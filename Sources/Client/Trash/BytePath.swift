internal import CPlatform
package import Glibc
internal import System
package import SystemPackage

/// A path that need not be UTF-8, with the system calls on it.
package struct BytePath: Hashable {
  package let bytes: [UInt8]

  private static let slash = UInt8(ascii: "/")

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// A path below another one.
  package init(_ directory: [UInt8], _ path: some Sequence<UInt8>) { bytes = directory + [Self.slash] + path }

  /// The path with a NUL, for system calls.
  package var name: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

  /// The last component.
  package var last: ArraySlice<UInt8> { bytes[(bytes.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0)...] }

  /// The path before the last slash.
  package var directory: [UInt8] { Array(bytes[..<(bytes.lastIndex(of: Self.slash) ?? 0)]) }

  /// Another name in the same directory.
  package func sibling(_ name: some Sequence<UInt8>) -> BytePath { BytePath(directory, name) }

  /// The last component without its ending, and the ending with its point.
  package var parts: (stem: ArraySlice<UInt8>, ending: ArraySlice<UInt8>) {
    guard let point = last.lastIndex(of: UInt8(ascii: ".")), point > last.startIndex else {
      return (last, last[last.endIndex...])
    }
    return (last[..<point], last[point...])
  }

  /// lstat(2).
  package func status() throws(Errno) -> stat {
    var status = stat()
    try systemCall { unsafe lstat(name, &status) }
    return status
  }

  /// Device, inode, and whether it is a regular file; symbolic links are not followed.
  package func identity() throws(Errno) -> (device: UInt64, inode: UInt64, isFile: Bool) {
    let status = try status()
    return (UInt64(status.st_dev), UInt64(status.st_ino), status.st_mode & S_IFMT == S_IFREG)
  }

  /// The POSIX access control list in the kernel's format; nil if the file has none.
  package func accessControlList() throws(Errno) -> [UInt8]? {
    // Enough for 8191 entries.
    var bytes = [UInt8](repeating: 0, count: 65_536)
    do throws(Errno) {
      let count = try systemCall { unsafe lgetxattr(name, "system.posix_acl_access", &bytes, bytes.count) }
      return Array(bytes[..<count])
    } catch {
      if error == .noData || error == .notSupported { return nil }
      throw error
    }
  }

  /// Links the file under another name. Throws `EEXIST` if that is taken.
  package func link(to other: BytePath) throws(Errno) { try systemCall { unsafe Glibc.link(name, other.name) } }

  /// Moves the file to a free name. Throws `EEXIST` if that is taken.
  package func move(to other: BytePath) throws(Errno) {
    try systemCall { unsafe agonyfs_rename_if_absent(AT_FDCWD, name, other.name) }
  }

  /// Makes a directory for its owner only, unless the path exists.
  package func makeDirectory() throws(Errno) {
    do throws(Errno) {
      try systemCall { unsafe mkdir(name, 0o700) }
    } catch .fileExists {}
  }

  /// Creates a file, durable on return. Throws `EEXIST` if the path exists.
  package func create(_ content: [UInt8]) throws(Errno) {
    let file = Descriptor(
      try systemCall { unsafe open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) })
    try file.writeAll(content)
    try systemCall { fsync(file.number) }
  }

  /// Removes the file.
  package func remove() throws(Errno) { try systemCall { unsafe unlink(name) } }

  /// Makes the file or directory durable.
  package func flush() throws(Errno) {
    let file = Descriptor(try systemCall { unsafe open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) })
    try systemCall { fsync(file.number) }
  }

  /// Whether both files have the same bytes.
  package func hasContent(of other: BytePath) throws(Errno) -> Bool {
    let one = Descriptor(try systemCall { unsafe open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) })
    let two = Descriptor(try systemCall { unsafe open(other.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) })
    while true {
      let block = try one.readToEnd(limit: 1 << 20)
      guard try two.readToEnd(limit: 1 << 20) == block else { return false }
      if block.isEmpty { return true }
    }
  }
}
