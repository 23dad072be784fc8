internal import Glibc

/// Directories of the host.
enum Directory {
  /// What is in a directory, without "." and ".."; nil when it cannot be read, with the reason in `errno`.
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

  /// Whether nothing is at a path, or an empty directory, so that something could be made there.
  static func isNothing(at path: String) -> Bool {
    if let names = names(in: path) { return names.isEmpty }
    var information = stat()
    return unsafe errno == ENOENT && lstat(path, &information) != 0
  }
}
