internal import Glibc
package import SystemPackage

/// What is in directories.
package enum Directory {
  /// The names in a directory but `.` and `..`, in no particular order. The path is relative to `directory`, or to the
  /// working directory.
  package static func names(in path: String, of directory: Descriptor? = nil) throws(Errno) -> [[UInt8]] {
    let number = try systemCall {
      unsafe openat(directory?.number ?? AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard let stream = unsafe fdopendir(number) else {
      let error = Errno.current
      close(number)
      throw error
    }
    defer { unsafe closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      // The end and an error look alike but for this.
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw .current }
        return names
      }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      if name != [dot] && name != [dot, dot] { names.append(name) }
    }
  }

  private static let dot = UInt8(ascii: ".")
}
