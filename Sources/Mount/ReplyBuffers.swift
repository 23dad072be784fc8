internal import Synchronization

/// Page-aligned buffers of one size. The one that was given back last is lent first: it is still in the processor's
/// cache, and so no more of them are ever touched than were in use at one time.
@safe final class ReplyBuffers: Sendable {
  /// Bytes in each.
  let size: Int
  /// Those not in use.
  private let free = Mutex<[Buffer]>([])

  /// Memory that nobody else has; a pointer to it may pass from thread to thread.
  @safe private struct Buffer: @unchecked Sendable {
    let memory: UnsafeMutableRawPointer

    init(size: Int) {
      unsafe memory = .allocate(byteCount: size, alignment: 4096)
    }
  }

  init(size: Int) {
    self.size = size
  }

  deinit {
    free.withLock { buffers in
      for buffer in buffers { unsafe buffer.memory.deallocate() }
    }
  }

  /// Lends a buffer of at most `size` bytes. What was in it before is still there.
  @inline(__always)
  func with<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let buffer = take()
    defer { give(buffer) }
    return try unsafe body(UnsafeMutableRawBufferPointer(start: buffer.memory, count: size))
  }

  private func take() -> Buffer {
    free.withLock { $0.popLast() } ?? Buffer(size: size)
  }

  private func give(_ buffer: Buffer) {
    free.withLock { $0.append(buffer) }
  }
}
