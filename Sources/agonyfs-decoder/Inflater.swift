internal import CDecoder

/// Unpacks deflate (RFC 1951), by zlib.
@safe final class Inflater {
  private let inflater: OpaquePointer

  /// Nil if there is no memory.
  init?() {
    guard let inflater = unsafe agonyfs_inflate_start() else { return nil }
    unsafe self.inflater = inflater
  }

  deinit { unsafe agonyfs_inflate_end(inflater) }

  /// Unpacks into a buffer, from its start.
  func inflate(
    _ packed: ArraySlice<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> (used: Int, made: Int, state: agonyfs_inflation) {
    var (count, room) = (UInt32(packed.count), UInt32(buffer.count))
    let state = unsafe packed.withUnsafeBufferPointer {
      unsafe agonyfs_inflate(inflater, $0.baseAddress, &count, buffer.baseAddress, &room)
    }
    return (Int(count), Int(room), state)
  }
}

/// CRC-32, as zip has it.
struct CheckSum {
  private(set) var value: UInt32 = 0

  mutating func add(_ bytes: [UInt8]) {
    value = unsafe bytes.withUnsafeBufferPointer { unsafe agonyfs_crc32(value, $0.baseAddress, $0.count) }
  }
}
