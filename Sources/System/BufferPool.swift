// Reused memory for data that is being read or written.
//
// Invariants
// 1. A block is lent to one user at a time. After its return the user no longer touches it.
// 2. The block that was returned last is lent first: it may still be in the processor's cache, and the pool never
//    touches more blocks than were in use at one time.
// 3. No more blocks of a size are idle than its limit allows.

internal import Glibc
internal import Synchronization

/// Lends blocks of memory of a few sizes. Safe to use from any thread.
@usableFromInline package final class BufferPool: Sendable {
  /// A size of blocks.
  package struct Size: Sendable {
    /// Bytes in a block.
    package let bytes: Int
    /// How many idle blocks are kept.
    package let idleLimit: Int

    /// A size of which at most `idleLimit` idle blocks are kept.
    package init(bytes: Int, idleLimit: Int) {
      self.bytes = bytes
      self.idleLimit = idleLimit
    }
  }

  /// A lent block. Its content is undefined.
  @safe @usableFromInline package struct Block: @unchecked Sendable {
    /// The whole block. Page-aligned from 128 KiB on, otherwise aligned to 16 bytes.
    package let bytes: UnsafeMutableRawBufferPointer
    /// The index of its size.
    fileprivate let size: Int

    /// Its first `count` bytes.
    @usableFromInline package func bytes(_ count: Int) -> UnsafeMutableRawBufferPointer {
      unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
    }
  }

  /// Blocks of at least this many bytes are mapped separately, so that freeing one always returns its memory to the
  /// system.
  private static let mappedSize = 128 << 10

  private let sizes: [Size]
  private let idle: Mutex<[[Block]]>

  /// A pool of these sizes, smallest first.
  package init(_ sizes: [Size]) {
    self.sizes = sizes
    idle = Mutex([[Block]](repeating: [], count: sizes.count))
  }

  deinit { freeIdle() }

  /// Lends a block of the smallest size that holds `count` bytes; there must be one.
  @usableFromInline package func take(_ count: Int) -> Block {
    guard let size = sizes.firstIndex(where: { $0.bytes >= count }) else { preconditionFailure("no block is so large") }
    return unsafe idle.withLock { $0[size].popLast() } ?? Block(bytes: Self.allocate(sizes[size].bytes), size: size)
  }

  /// Takes a returned block.
  @usableFromInline package func give(_ block: Block) {
    let isKept = idle.withLock { idle in
      guard idle[block.size].count < sizes[block.size].idleLimit else { return false }
      idle[block.size].append(block)
      return true
    }
    if !isKept { Self.free(block) }
  }

  /// Lends `count` bytes to `body`.
  @inlinable package func with<Result, Failure: Error>(
    _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let block = take(count)
    defer { give(block) }
    return try unsafe body(block.bytes(count))
  }

  /// Returns all idle memory to the system.
  package func trim() {
    freeIdle()
    Heap.trim()
  }

  private func freeIdle() {
    let blocks = idle.withLock { idle in
      defer { idle = [[Block]](repeating: [], count: sizes.count) }
      return idle
    }
    for block in blocks.joined() { Self.free(block) }
  }

  private static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    guard count >= mappedSize else { return .allocate(byteCount: count, alignment: 16) }
    let memory = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start = unsafe memory, unsafe start != MAP_FAILED else { fatalError("no memory for data on its way") }
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
  }

  private static func free(_ block: Block) {
    if unsafe block.bytes.count >= mappedSize {
      unsafe munmap(block.bytes.baseAddress, block.bytes.count)
    } else {
      unsafe block.bytes.deallocate()
    }
  }
}

/// A block that returns to its pool when the last reference to it ends.
@safe package final class PooledBuffer: @unchecked Sendable {
  private let block: BufferPool.Block
  private let pool: BufferPool

  /// Takes a block that holds `count` bytes.
  package init(_ count: Int, from pool: BufferPool) {
    block = pool.take(count)
    self.pool = pool
  }

  deinit { pool.give(block) }

  /// The whole block.
  package var bytes: UnsafeMutableRawBufferPointer { unsafe block.bytes }
}
