internal import Glibc

/// Directories on the host.
enum Directory {
  /// The names in a directory, without "." and "..". Nil if it cannot be read; `errno` has the reason.
  static func names(in path: String) -> [String]? {
    guard let stream = unsafe opendir(path) else { return nil }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Whether nothing or an empty directory is at a path, so something can be created there.
  static func isNothing(at path: String) -> Bool {
    if let names = names(in: path) { return names.isEmpty }
    var information = stat()
    return unsafe errno == ENOENT && lstat(path, &information) != 0
  }
}
