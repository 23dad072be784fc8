internal import Crypto
internal import HostFiles

/// The hash of the bytes written to a file so far. Only one thread may use it at a time.
final class RunningHash: @unchecked Sendable {
  /// The inode of the file.
  let file: UInt64
  private var hasher: ContentHasher? = ContentHasher()
  private(set) var size: Int64 = 0

  init(of file: UInt64) { self.file = file }

  func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe hasher?.update(bytes)
    size += Int64(bytes.count)
  }

  /// The hash. Call it last, and once.
  func finish() -> FileDigest { FileDigest(size: size, hash: hasher.take()?.finish() ?? []) }
}
