/// What the address of an empty buffer is, for C functions that want one even for no bytes.
@safe private enum EmptyBuffer {
  nonisolated(unsafe) static let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
}

extension UnsafeRawBufferPointer {
  /// The bytes as C functions want them; never null.
  @unsafe var bytes: UnsafePointer<UInt8> {
    unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(EmptyBuffer.byte)
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The bytes as C functions want them; never null.
  @unsafe var bytes: UnsafeMutablePointer<UInt8> {
    unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) ?? EmptyBuffer.byte
  }
}
