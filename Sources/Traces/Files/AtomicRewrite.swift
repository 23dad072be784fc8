// Invariants
// 1. At any time the file's name leads to the old content or to the new one, whole and durable.
// 2. What another program wrote meanwhile is never lost: the new file takes the old one's place by an exchange, and only
//    what was read before is deleted.
// 3. Mode and group stay. Where the group cannot stay, nobody but the user gets rights.

internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// Replaces the content of a file that other programs may replace at the same time.
enum AtomicRewrite {
  /// How often it begins again after another program was faster.
  private static let mostTries = 5

  /// Gives a file what `change` makes of its bytes; nil leaves it. A file that is gone needs no change.
  ///
  /// - Throws: `EBUSY` if other programs change it all the time.
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

  /// Puts the new file in the place of the one that was read. False if that was not there any more; then what is there
  /// stays.
  private static func exchange(
    _ temporary: [UInt8], _ own: FileIdentity, with name: [UInt8], in folder: Folder, expecting seen: FileIdentity
  ) throws(Errno) -> Bool {
    guard FileIdentity(try folder.status(of: name)) == seen else { return false }
    let (one, other) = (Folder.cString(temporary), Folder.cString(name))
    let directory = folder.descriptor.number
    do throws(Errno) {
      try systemCall { unsafe agonyfs_exchange(directory, one, directory, other) }
    } catch .invalidArgument {
      // The file system cannot exchange; a moment remains in which another program's file would be lost.
      try systemCall { unsafe renameat(directory, one, directory, other) }
      return true
    } catch .noSuchFileOrDirectory {
      return false
    }
    if FileIdentity(try folder.status(of: temporary)) == seen { return true }
    try systemCall { unsafe agonyfs_exchange(directory, one, directory, other) }
    // Unless somebody replaced ours again, which then holds what came last.
    if FileIdentity(try folder.status(of: temporary)) != own {
      try systemCall { unsafe agonyfs_exchange(directory, one, directory, other) }
    }
    return false
  }
}
