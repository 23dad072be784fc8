internal import Crypto
internal import Media
internal import System
internal import SystemPackage
internal import Vault

/// The content of a file, as the decoder reads it.
struct FileSource: MediaSource {
  let fileSystem: FileSystem
  let inode: InodeNumber
  let size: Int64

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try unsafe fileSystem.read(inode, at: FileOffset(rawValue: offset), into: buffer)
  }
}

extension FileSystem {
  /// Bytes that one step of hashing reads.
  private static let hashStep = 256 << 10

  /// The keyed hash of a file's content.
  func contentHash(of inode: InodeNumber) throws(Errno) -> [UInt8] {
    var hasher = space.contentHasher()
    let block = pool.take(Self.hashStep)
    defer { pool.give(block) }
    let bytes = unsafe block.bytes(Self.hashStep)
    var offset = FileOffset.zero
    while true {
      let count = try unsafe read(inode, at: offset, into: bytes)
      if count == 0 { break }
      unsafe hasher.update(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      offset = offset + count
    }
    return hasher.finish()
  }
}
