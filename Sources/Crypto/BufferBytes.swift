/// An address for empty buffers: some C functions reject NULL even for no bytes.
@safe private enum EmptyBuffer {
  nonisolated(unsafe) static let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
}

extension UnsafeRawBufferPointer {
  /// The bytes for C functions; never null.
  @unsafe var bytes: UnsafePointer<UInt8> {
    unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(EmptyBuffer.byte)
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The bytes for C functions; never null.
  @unsafe var bytes: UnsafeMutablePointer<UInt8> {
    unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) ?? EmptyBuffer.byte
  }
}
