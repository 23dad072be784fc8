// Memory for file data that waits to be written, in four sizes, used again and again. All unsafe allocation is in this file.

internal import CPlatform
internal import Glibc
internal import Synchronization

/// One block of memory; goes back to its pool at the end of its life.
@safe final class BufferBlock: @unchecked Sendable {
  /// The sizes that there are: a block of a file system, 4 and 16 of them, and a whole window. Each is a multiple of those before.
  static let sizes = [4096, 16384, 65536, WriteWindow.size]

  /// The memory, as large as one of `sizes`.
  let bytes: UnsafeMutableRawBufferPointer
  private let pool: BufferPool

  fileprivate init(_ bytes: UnsafeMutableRawBufferPointer, pool: BufferPool) {
    unsafe self.bytes = bytes
    self.pool = pool
  }

  deinit { unsafe pool.give(bytes) }
}

/// Hands out blocks of memory.
@safe final class BufferPool: @unchecked Sendable {
  /// Blocks of each size that are kept for later: 1 MiB, 1 MiB, 4 MiB and 8 MiB of memory at most.
  private static let idleLimits = [256, 64, 64, 8]

  @safe private struct Block: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
    init(_ bytes: UnsafeMutableRawBufferPointer) { unsafe self.bytes = bytes }
  }

  private let idle = Mutex([[Block]](repeating: [], count: BufferBlock.sizes.count))

  deinit { trim() }

  /// A block of the smallest size that holds `size` bytes. Its content is anything.
  func take(_ size: Int) -> BufferBlock {
    let index = BufferBlock.sizes.firstIndex { $0 >= size } ?? BufferBlock.sizes.count - 1
    if let used = idle.withLock({ $0[index].popLast() }) { return unsafe BufferBlock(used.bytes, pool: self) }
    return unsafe BufferBlock(Self.allocate(BufferBlock.sizes[index]), pool: self)
  }

  fileprivate func give(_ bytes: UnsafeMutableRawBufferPointer) {
    let index = BufferBlock.sizes.firstIndex(of: bytes.count) ?? 0
    let block = unsafe Block(bytes)
    let isKept = idle.withLock { idle in
      guard idle[index].count < Self.idleLimits[index] else { return false }
      idle[index].append(block)
      return true
    }
    if !isKept { unsafe Self.free(bytes) }
  }

  /// Gives all idle memory back to the system.
  func trim() {
    let blocks = idle.withLock { idle in
      defer { idle = [[Block]](repeating: [], count: BufferBlock.sizes.count) }
      return idle
    }
    for block in blocks.joined() { unsafe Self.free(block.bytes) }
    // What small blocks leave free in the middle of the heap would otherwise stay.
    agonyfs_trim_heap()
  }

  private static func allocate(_ size: Int) -> UnsafeMutableRawBufferPointer {
    if size == WriteWindow.size {
      let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let start = unsafe memory, unsafe start != MAP_FAILED else { fatalError("no memory for file data") }
      return unsafe UnsafeMutableRawBufferPointer(start: start, count: size)
    }
    return .allocate(byteCount: size, alignment: 16)
  }

  private static func free(_ bytes: UnsafeMutableRawBufferPointer) {
    if bytes.count == WriteWindow.size {
      unsafe munmap(bytes.baseAddress, bytes.count)
    } else {
      unsafe bytes.deallocate()
    }
  }
}
