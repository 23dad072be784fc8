package import Glibc
internal import System
package import SystemPackage

/// Files of the host, by their paths.
package enum HostFile {
  /// Names in a directory, sorted, without `.` and `..`; none where there is no directory.
  package static func names(in path: String) -> [String] {
    ((try? Directory.names(in: path)) ?? []).map { String(decoding: $0, as: UTF8.self) }.sorted()
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
  package static func read(_ path: String) throws(Errno) -> [UInt8] { try WholeFile.read(path) }

  /// Makes a file of these bytes, or replaces what a file holds.
  package static func write(_ bytes: [UInt8], to path: String) throws(Errno) {
    try Descriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644).writeAll(bytes)
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
