// Invariants
// 1. At any time the file's name leads to the old content or to the new one, complete and durable.
// 2. A concurrent change by another program is never lost: the new file replaces the old one by an exchange, and only
//    the content that was read before is deleted.
// 3. Mode and group stay. If the group cannot stay, only the user gets rights.

internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// Replaces the content of a file that other programs may replace at the same time.
enum AtomicRewrite {
  /// How often a rewrite begins again after another program changed the file.
  private static let mostTries = 5

  /// Replaces a file's bytes by the result of `change`; nil leaves the file as it is. A missing file needs no change.
  ///
  /// - Throws: `EBUSY` if other programs keep changing it.
  static func rewrite(
    _ name: [UInt8], in folder: Folder, limit: Int, _ change: ([UInt8]) -> [UInt8]?
  ) throws(Errno) {
    for _ in 0..<mostTries {
      guard let file = try ifThere({ () throws(Errno) in try folder.file(name) }) else { return }
      guard let content = change(try file.all(limit: limit)) else { return }
      let (temporary, own) = try write(content, beside: name, in: folder, like: file)
      defer { try? folder.unlink(temporary) }
      if try exchange(temporary, own, with: name, in: folder, expecting: file.identity) {
        fsync(folder.descriptor.number)
        return
      }
    }
    throw .resourceBusy
  }

  private static func write(
    _ content: [UInt8], beside name: [UInt8], in folder: Folder, like file: OwnFile
  ) throws(Errno) -> (name: [UInt8], identity: FileIdentity) {
    let status = try folder.status(of: name)
    for _ in 0..<100 {
      let temporary = Array(".agonyfs-\(String(UInt64.random(in: 0 ... .max), radix: 36))".utf8)
      do throws(Errno) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        let made = try Descriptor.open(FilePath(bytes: temporary), in: folder.descriptor, flags)
        do throws(Errno) {
          try made.writeAll(content)
          let keepsGroup = fchown(made.number, uid_t.max, status.st_gid) == 0
          try systemCall { fchmod(made.number, keepsGroup ? file.mode : file.mode & 0o700) }
          try systemCall { fsync(made.number) }
          return (temporary, FileIdentity(try made.status()))
        } catch {
          try? folder.unlink(temporary)
          throw error
        }
      } catch .fileExists {}
    }
    throw .fileExists
  }

  /// Exchanges the new file with the one that was read. False if another file has that name now; that file stays.
  private static func exchange(
    _ temporary: [UInt8], _ own: FileIdentity, with name: [UInt8], in folder: Folder, expecting seen: FileIdentity
  ) throws(Errno) -> Bool {
    guard FileIdentity(try folder.status(of: name)) == seen else { return false }
    let (one, other) = (Folder.cString(temporary), Folder.cString(name))
    let directory = folder.descriptor.number
    do throws(Errno) {
      try systemCall { unsafe agonyfs_exchange(directory, one, directory, other) }
    } catch .invalidArgument {
      // The file system cannot exchange files; for a moment, another program's file could be lost.
      try systemCall { unsafe renameat(directory, one, directory, other) }
      return true
    } catch .noSuchFileOrDirectory {
      return false
    }
    if FileIdentity(try folder.status(of: temporary)) == seen { return true }
    try systemCall { unsafe agonyfs_exchange(directory, one, directory, other) }
    // If another program replaced the new file in between, its file is the latest and goes back.
    if FileIdentity(try folder.status(of: temporary)) != own {
      try systemCall { unsafe agonyfs_exchange(directory, one, directory, other) }
    }
    return false
  }
}
