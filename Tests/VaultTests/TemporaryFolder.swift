import Glibc

/// A directory of the host that goes with the object.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/agonyfs-vault-tests.XXXXXX".utf8CString)
    let made: String? = unsafe template.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress, let result = unsafe mkdtemp(base) else { return nil }
      return unsafe String(cString: result)
    }
    struct Failed: Error {}
    guard let made else { throw Failed() }
    path = made
  }

  deinit { Self.remove(path) }

  /// Names in a directory, sorted, without `.` and `..`.
  static func names(in path: String) -> [String] {
    guard let stream = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Paths of all segment files of the vault in `vault`.
  static func segments(of vault: String) -> [String] {
    names(in: vault + "/segments").flatMap { folder in
      names(in: vault + "/segments/" + folder).map { vault + "/segments/" + folder + "/" + $0 }
    }
  }

  static func status(_ path: String) -> stat {
    var information = stat()
    _ = unsafe lstat(path, &information)
    return information
  }

  static func read(_ path: String) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: Int(status(path).st_size))
    let count = unsafe Glibc.read(file, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }

  static func write(_ bytes: [UInt8], to path: String) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { return }
    _ = unsafe Glibc.write(file, bytes, bytes.count)
    close(file)
  }

  private static func remove(_ path: String) {
    if status(path).st_mode & S_IFMT == S_IFDIR {
      for name in names(in: path) { remove(path + "/" + name) }
      unsafe rmdir(path)
    } else {
      unsafe unlink(path)
    }
  }
}
