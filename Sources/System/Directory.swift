internal import Glibc
package import SystemPackage

/// Lists directories. This leaves no access time if the kernel allows that.
package enum Directory {
  /// A name in a directory.
  package struct Entry: Sendable {
    /// The bytes of the name.
    package let name: [UInt8]
    /// The number of the inode, according to the listing.
    package let inode: UInt64
    /// Whether it is a directory.
    package let isDirectory: Bool
    /// Whether it is a regular file.
    package let isFile: Bool
  }

  /// The names in a directory except `.` and `..`, in no particular order. The path is relative to `directory`, or to
  /// the working directory. In `directory`, a symbolic link at its end is not followed.
  package static func names(in path: String, of directory: Descriptor? = nil) throws(Errno) -> [[UInt8]] {
    var names: [[UInt8]] = []
    try list(path, of: directory) { names.append($0.name) }
    return names
  }

  /// Like `names`, for a path of any bytes.
  package static func names(in path: FilePath) throws(Errno) -> [[UInt8]] {
    try names(in: ".", of: Descriptor.openQuietly(path, O_RDONLY | O_DIRECTORY))
  }

  /// The names in a directory of everything except directories. The path is like that of `names`.
  package static func namesOfOthers(in path: String, of directory: Descriptor? = nil) throws(Errno) -> [[UInt8]] {
    var names: [[UInt8]] = []
    try list(path, of: directory) { if !$0.isDirectory { names.append($0.name) } }
    return names
  }

  /// The entries of an open directory except `.` and `..`, in no particular order.
  package static func entries(of directory: Descriptor) throws(Errno) -> [Entry] {
    var entries: [Entry] = []
    try list(".", of: directory) { entries.append($0) }
    return entries
  }

  private static func list(_ path: String, of directory: Descriptor?, _ body: (Entry) -> Void) throws(Errno) {
    let flags = O_RDONLY | O_DIRECTORY | (directory == nil ? 0 : O_NOFOLLOW)
    let opened = try Descriptor.openQuietly(path, in: directory, flags)
    let number = try systemCall { fcntl(opened.number, F_DUPFD_CLOEXEC, 0) }
    guard let stream = unsafe fdopendir(number) else {
      let error = Errno.current
      close(number)
      throw error
    }
    defer { unsafe closedir(stream) }
    while true {
      // Only errno distinguishes the end from an error.
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw .current }
        return
      }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      if name == [dot] || name == [dot, dot] { continue }
      var type = unsafe UInt32(entry.pointee.d_type)
      if type == UInt32(DT_UNKNOWN) {
        // Some file systems do not state the type in a listing.
        var information = stat()
        if unsafe fstatat(number, &entry.pointee.d_name.0, &information, AT_SYMLINK_NOFOLLOW) == 0 {
          switch information.st_mode & S_IFMT {
          case S_IFDIR: type = UInt32(DT_DIR)
          case S_IFREG: type = UInt32(DT_REG)
          default: break
          }
        }
      }
      let inode = unsafe UInt64(entry.pointee.d_ino)
      body(Entry(name: name, inode: inode, isDirectory: type == UInt32(DT_DIR), isFile: type == UInt32(DT_REG)))
    }
  }

  private static let dot = UInt8(ascii: ".")
}
