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

  /// Deletes a file, or a directory with all that is in it, whatever the bytes of the names are.
  package static func remove(_ path: String) {
    if unsafe unlink(path) == 0 { return }
    guard let directory = try? Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else { return }
    empty(directory)
    unsafe rmdir(path)
  }

  private static func empty(_ directory: Descriptor) {
    for bytes in (try? Directory.names(in: ".", of: directory)) ?? [] {
      let name = bytes.map { CChar(bitPattern: $0) } + [0]
      if unsafe unlinkat(directory.number, name, 0) == 0 { continue }
      let number = unsafe openat(directory.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      if number < 0 { continue }
      empty(Descriptor(number))
      unsafe unlinkat(directory.number, name, AT_REMOVEDIR)
    }
  }
}
