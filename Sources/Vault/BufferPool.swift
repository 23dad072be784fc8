internal import Synchronization

/// Large page-aligned buffers that are used again, so that sealing and opening never wait for fresh memory.
@safe final class PooledBuffer: @unchecked Sendable {
  /// Room for the longest run of records that is written at once: an extent of 1 MiB with its tags, header and alignment.
  static let capacity = (1 << 20) + (64 << 10)
  private static let idleLimit = 6
  private static let idle = Mutex<[PooledBuffer]>([])

  private let memory: UnsafeMutableRawBufferPointer

  private init() {
    unsafe memory = .allocate(byteCount: Self.capacity, alignment: 4096)
  }

  deinit { unsafe memory.deallocate() }

  /// The first `count` bytes.
  func bytes(_ count: Int) -> UnsafeMutableRawBufferPointer {
    precondition(count <= Self.capacity)
    return unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
  }

  static func take() -> PooledBuffer { idle.withLock { $0.popLast() } ?? PooledBuffer() }

  /// Gives a buffer back; nothing of it may be used afterwards.
  static func give(_ buffer: PooledBuffer) {
    idle.withLock { if $0.count < idleLimit { $0.append(buffer) } }
  }
}
