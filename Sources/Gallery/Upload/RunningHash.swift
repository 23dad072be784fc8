internal import Crypto
internal import Import

/// The hash of what was written to a file so far. Used by one thread at a time.
final class RunningHash: @unchecked Sendable {
  private struct Hasher: ~Copyable {
    var content = ContentHasher()
  }

  /// The inode of the file.
  let file: UInt64
  private var hasher = Hasher()
  private(set) var size: Int64 = 0

  init(of file: UInt64) { self.file = file }

  func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe hasher.content.update(bytes)
    size += Int64(bytes.count)
  }

  /// The hash; nothing can be added afterwards.
  func finish() -> FileDigest {
    var other = Hasher()
    swap(&hasher, &other)
    return FileDigest(size: size, hash: other.content.finish())
  }
}
