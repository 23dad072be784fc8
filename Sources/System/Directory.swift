internal import Glibc
package import SystemPackage

/// What is in directories. Listing one leaves no access time where the kernel allows that.
package enum Directory {
  /// The names in a directory but `.` and `..`, in no particular order. The path is relative to `directory`, or to the
  /// working directory. In `directory`, a symbolic link at its end is not followed.
  package static func names(in path: String, of directory: Descriptor? = nil) throws(Errno) -> [[UInt8]] {
    var names: [[UInt8]] = []
    try list(path, of: directory) { name, _ in names.append(name) }
    return names
  }

  /// As `names`, for a path of any bytes.
  package static func names(in path: FilePath) throws(Errno) -> [[UInt8]] {
    try names(in: ".", of: Descriptor.openQuietly(path, O_RDONLY | O_DIRECTORY))
  }

  /// The names in a directory of everything but directories. A path as of `names`.
  package static func namesOfOthers(in path: String, of directory: Descriptor? = nil) throws(Errno) -> [[UInt8]] {
    var names: [[UInt8]] = []
    try list(path, of: directory) { name, isDirectory in if !isDirectory { names.append(name) } }
    return names
  }

  private static func list(
    _ path: String, of directory: Descriptor?, _ body: (_ name: [UInt8], _ isDirectory: Bool) -> Void
  ) throws(Errno) {
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
      // The end and an error look alike but for this.
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw .current }
        return
      }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      if name == [dot] || name == [dot, dot] { continue }
      var type = unsafe UInt32(entry.pointee.d_type)
      if type == UInt32(DT_UNKNOWN) {
        // Not every file system tells the type in a listing.
        var information = stat()
        if unsafe fstatat(number, &entry.pointee.d_name.0, &information, AT_SYMLINK_NOFOLLOW) == 0,
          information.st_mode & S_IFMT == S_IFDIR
        {
          type = UInt32(DT_DIR)
        }
      }
      body(name, type == UInt32(DT_DIR))
    }
  }

  private static let dot = UInt8(ascii: ".")
}
