internal import CDecoder

/// Decompresses deflate (RFC 1951) with zlib.
@safe final class Inflater {
  private let inflater: OpaquePointer

  /// Nil if memory runs out.
  init?() {
    guard let inflater = unsafe agonyfs_inflate_start() else { return nil }
    unsafe self.inflater = inflater
  }

  deinit { unsafe agonyfs_inflate_end(inflater) }

  /// Decompresses into the start of a buffer. Returns the numbers of bytes read and written.
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

/// The CRC-32 of zip. `before` is the checksum of the bytes before these.
func checkSum(of bytes: [UInt8], after before: UInt32 = 0) -> UInt32 {
  unsafe agonyfs_crc32(before, bytes, bytes.count)
}
