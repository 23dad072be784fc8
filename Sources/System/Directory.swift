internal import Glibc
package import SystemPackage

/// What is in directories.
package enum Directory {
  /// Calls `body` with each name but `.` and `..`, in no particular order, until it returns false. The path is relative
  /// to `directory`, or to the working directory.
  package static func list(
    _ path: String, in directory: Descriptor? = nil, _ body: ([UInt8]) -> Bool
  ) throws(Errno) {
    let number = try systemCall {
      unsafe openat(directory?.number ?? AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
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
      if !body(name) { return }
    }
  }

  /// The names in a directory as text, where those that are not UTF-8 are not told apart.
  package static func names(in path: String) throws(Errno) -> [String] {
    var names: [String] = []
    try list(path) { name in
      names.append(String(decoding: name, as: UTF8.self))
      return true
    }
    return names
  }

  /// Whether nothing is in a directory. The path is relative to `directory`, or to the working directory.
  package static func isEmpty(_ path: String, in directory: Descriptor? = nil) throws(Errno) -> Bool {
    var isEmpty = true
    try list(path, in: directory) { _ in
      isEmpty = false
      return false
    }
    return isEmpty
  }

  private static let dot = UInt8(ascii: ".")
}
