internal import Glibc
package import SystemPackage

/// Reads and replaces small files as a whole.
package enum WholeFile {
  /// The content of a file, or its first `limit` bytes. If `followsLink` is false, a symbolic link gives
  /// `.tooManySymbolicLinkLevels`.
  package static func read(
    _ path: String, limit: Int = .max, followsLink: Bool = true
  ) throws(Errno) -> [UInt8] {
    Waiting.assertAllowed()
    return try Descriptor.open(path, followsLink ? O_RDONLY : O_RDONLY | O_NOFOLLOW).readToEnd(limit: limit)
  }

  /// Like `read`, for a path of any bytes; links are followed.
  package static func read(_ path: FilePath, limit: Int = .max) throws(Errno) -> [UInt8] {
    Waiting.assertAllowed()
    return try Descriptor.open(path, O_RDONLY).readToEnd(limit: limit)
  }

  /// Creates or replaces a file. The new content is written to `.NAME.new` in the same directory, which is then
  /// renamed, so a crash leaves the old content or the new one. Durable on return. Only the owner can read the file,
  /// unless `prepare`, which gets the file before it has its name, changes that. With `seconds` since 1970 this becomes
  /// the access and modification time of the file and, if it belongs to this user, of the directory.
  package static func replace(
    _ name: String, in directory: Descriptor, with content: [UInt8], dated seconds: Int? = nil,
    prepare: (Descriptor) -> Void = { _ in }
  ) throws(Errno) {
    let temporary = Self.temporary(name)
    let times = seconds.map { [timespec](repeating: timespec(tv_sec: $0, tv_nsec: 0), count: 2) }
    // A crash may have left this file.
    unsafe unlinkat(directory.number, temporary, 0)
    do throws(Errno) {
      let file = try Descriptor.open(temporary, in: directory, O_WRONLY | O_CREAT | O_EXCL)
      prepare(file)
      try file.writeAll(content)
      if let times { try systemCall { unsafe futimens(file.number, times) } }
      try systemCall { fsync(file.number) }
      try systemCall { unsafe renameat(directory.number, temporary, directory.number, name) }
      if let times { unsafe futimens(directory.number, times) }
      try systemCall { fsync(directory.number) }
    } catch {
      unsafe unlinkat(directory.number, temporary, 0)
      if let times { unsafe futimens(directory.number, times) }
      throw error
    }
  }

  /// The name of the file that `replace` writes first.
  package static func temporary(_ name: String) -> String { "." + name + ".new" }
}
