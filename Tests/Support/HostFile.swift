package import Glibc
package import SystemPackage

/// Files of the host, by their paths.
package enum HostFile {
  /// Names in a directory, sorted, without `.` and `..`; none where there is no directory.
  package static func names(in path: String) -> [String] {
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

  /// Paths of all segment files of the vault in a directory.
  package static func segments(of vault: String) -> [String] {
    names(in: vault + "/segments").flatMap { folder in
      names(in: vault + "/segments/" + folder).map { vault + "/segments/" + folder + "/" + $0 }
    }
  }

  /// What `lstat` says; zeros where there is nothing.
  package static func status(_ path: String) -> stat {
    var information = stat()
    _ = unsafe lstat(path, &information)
    return information
  }

  /// All bytes of a file.
  package static func read(_ path: String) throws(Errno) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Errno(rawValue: errno) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(file, &block, block.count)
      guard count >= 0 else { throw Errno(rawValue: errno) }
      if count == 0 { return bytes }
      bytes += block[..<count]
    }
  }

  /// Makes a file of these bytes, or replaces what a file holds.
  package static func write(_ bytes: [UInt8], to path: String) throws(Errno) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw Errno(rawValue: errno) }
    defer { close(file) }
    var written = 0
    while written < bytes.count {
      let rest = bytes[written...]
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Errno(rawValue: errno) }
      written += count
    }
  }

  /// Deletes a file, or a directory with all that is in it.
  package static func remove(_ path: String) {
    if status(path).st_mode & S_IFMT == S_IFDIR {
      for name in names(in: path) { remove(path + "/" + name) }
      unsafe rmdir(path)
    } else {
      unsafe unlink(path)
    }
  }
}
