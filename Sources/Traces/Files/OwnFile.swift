// Invariants
// 1. Memory is bounded by a limit, whatever size a file has or claims.

internal import Glibc
internal import System
internal import SystemPackage

/// An open regular file of this user, for reading.
struct OwnFile: Sendable {
  private let descriptor: Descriptor
  /// Its state when it was opened.
  let identity: FileIdentity
  /// Its permissions.
  let mode: mode_t
  /// Its size when it was opened, in bytes.
  var size: Int { Int(identity.size) }

  init(_ descriptor: Descriptor, _ status: stat) {
    self.descriptor = descriptor
    identity = FileIdentity(status)
    mode = status.st_mode & 0o7777
  }

  /// Reads the whole file.
  ///
  /// - Throws: `EFBIG` if it has more than `limit` bytes, even if it grew after it was opened.
  func all(limit: Int) throws(Errno) -> [UInt8] {
    guard size <= limit else { throw .fileTooLarge }
    let bytes = try read(at: 0, most: limit + 1)
    guard bytes.count <= limit else { throw .fileTooLarge }
    return bytes
  }

  /// Up to `most` bytes from an offset, fewer at the end.
  func read(at offset: Int, most: Int) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < most {
      // Read in small steps, so that a claimed size never decides how much memory is allocated.
      var block = [UInt8](repeating: 0, count: min(most - bytes.count, 256 << 10))
      let place = off_t(offset + bytes.count)
      let count = try systemCall { unsafe pread(descriptor.number, &block, block.count, place) }
      if count == 0 { break }
      bytes += block[..<count]
    }
    return bytes
  }
}
