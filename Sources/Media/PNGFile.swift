/// A PNG as a sequence of chunks (PNG, third edition, 5.2). The daemon adds the texts, because the decoder must not
/// see file names.
package struct PNGFile {
  static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
  /// The signature, and the header with its length, name and checksum.
  private static let headBytes = 8 + 12 + 13

  private(set) var bytes: [UInt8]

  /// Nil unless the bytes begin with a header of an allowed size and end with an end chunk.
  init?(_ bytes: [UInt8], mostSide: Int) {
    guard bytes.count > Self.headBytes, bytes.starts(with: Self.signature + [0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]),
      bytes.suffix(12) == [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]
    else { return nil }
    for offset in [16, 20] {
      let side = bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
      guard (1...mostSide).contains(side) else { return nil }
    }
    self.bytes = bytes
  }

  /// Adds texts after the header: ASCII as `tEXt`, others as `iTXt`, uncompressed.
  mutating func add(_ texts: [(String, String)]) {
    var chunks: [UInt8] = []
    for (key, value) in texts {
      let isASCII = value.utf8.allSatisfy { $0 < 0x80 }
      // Uncompressed, without a language.
      let body = Array(key.utf8) + (isASCII ? [0] : [0, 0, 0, 0, 0]) + Array(value.utf8)
      chunks += Self.chunk(isASCII ? "tEXt" : "iTXt", body)
    }
    bytes.insert(contentsOf: chunks, at: Self.headBytes)
  }

  /// A chunk with its length and checksum.
  package static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let checked = Array(name.utf8) + body
    return bigEndian(UInt32(body.count)) + checked + bigEndian(checksum(checked))
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// CRC-32 as in PNG, annex D.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var value: UInt32 = 0xffff_ffff
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? 0xedb8_8320 ^ (value >> 1) : value >> 1 }
    }
    return ~value
  }
}
