// Holds contents of files in memory, so that the hash and the decoder need one read.
//
// Invariants
// 1. All contents in memory have at most `limit` bytes together, however many threads examine files. A content that
//    does not fit, or is larger than `largest`, is read from the file system piece by piece. No thread waits for
//    room.
// 2. A content is plaintext in ordinary memory, like the blocks of `FileSystem.pool`. Its memory returns to the
//    system as soon as the last reader is done; no idle memory is kept.
// 3. The decoder sees the bytes that were hashed, even if the file changes in the meantime.

internal import Albums
internal import Crypto
internal import Media
internal import Synchronization
internal import System
internal import SystemPackage
internal import Vault

/// Room for contents of files in memory.
final class ContentMemory: Sendable {
  /// Most bytes of one content.
  private let largest: Int
  /// Most bytes of all contents together.
  private let limit: Int
  private let pool: BufferPool
  /// Bytes of the contents in memory. The lock is held briefly, and no other lock is taken under it.
  fileprivate let held = Mutex(0)

  /// Room for contents of at most `largest` bytes, and of `limit` bytes together.
  init(largest: Int = 32 << 20, limit: Int = 64 << 20) {
    self.largest = largest
    self.limit = limit
    pool = BufferPool([256 << 10, 4 << 20, largest].map { BufferPool.Size(bytes: $0, idleLimit: 0) })
  }

  /// Bytes that one read takes.
  private static let step = 256 << 10

  /// Reads a content into memory; nil if it does not fit.
  func hold(_ source: any MediaSource) throws(Errno) -> HeldContent? {
    guard let room = room(for: source.size) else { return nil }
    let bytes = unsafe room.buffer.bytes
    var done = 0
    while done < room.count {
      let step = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[done..<min(done + Self.step, room.count)])
      let count = try unsafe source.read(at: Int64(done), into: step)
      if count <= 0 { break }
      done += count
    }
    return HeldContent(size: source.size, count: done, room: room)
  }

  private func room(for size: Int64) -> ContentRoom? {
    guard size > 0, size <= largest else { return nil }
    let count = Int(size)
    let fits = held.withLock { held in
      guard held + count <= limit else { return false }
      held += count
      return true
    }
    return fits ? ContentRoom(count, PooledBuffer(count, from: pool), in: self) : nil
  }
}

/// The memory of one content, until the last reference to it ends.
private final class ContentRoom: Sendable {
  let count: Int
  let buffer: PooledBuffer
  private let memory: ContentMemory

  init(_ count: Int, _ buffer: PooledBuffer, in memory: ContentMemory) {
    self.count = count
    self.buffer = buffer
    self.memory = memory
  }

  deinit { memory.held.withLock { $0 -= count } }
}

/// A content in memory, as the decoder reads it.
struct HeldContent: MediaSource {
  /// The size of the file when reading began.
  let size: Int64
  /// The bytes in memory: fewer than `size` if the file was truncated during reading.
  fileprivate let count: Int
  fileprivate let room: ContentRoom

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    guard offset >= 0 else { throw .invalidArgument }
    let start = Int(min(offset, Int64(count)))
    let end = min(count, start + buffer.count)
    unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: room.buffer.bytes[start..<end]))
    return end - start
  }

  /// Adds all of its bytes to a hash.
  func add(to hasher: inout KeyedHasher) {
    unsafe hasher.update(UnsafeRawBufferPointer(rebasing: room.buffer.bytes[..<count]))
  }
}

extension Thumbnailer {
  /// The keyed hash of a file's content, and the content itself for the decoder.
  func hashedContent(of source: FileSource) throws(Errno) -> (hash: [UInt8], content: any MediaSource) {
    guard let content = try fileSystem.library.contentMemory.hold(source) else {
      return (try contentHash(of: source.inode), source)
    }
    var hasher = fileSystem.space.contentHasher()
    content.add(to: &hasher)
    return (hasher.finish(), content)
  }
}
