/// The bytes that a parser reads: a file that arrives piece by piece, or a block in memory.
protocol ByteSource {
  var size: Int64 { get }

  /// Reads at most `count` bytes, fewer at the end; nil if the read fails.
  func bytes(at offset: Int64, count: Int) -> [UInt8]?
}

extension ByteSource {
  /// Exactly `count` bytes; nil if there are fewer.
  func exactly(_ count: Int, at offset: Int64) -> [UInt8]? {
    guard count >= 0, offset >= 0, offset <= size, Int64(count) <= size - offset else { return nil }
    guard let bytes = bytes(at: offset, count: count), bytes.count == count else { return nil }
    return bytes
  }

  /// The width and height of a JPEG that libjpeg can decode, from its markers (ITU-T T.81, Annex B). Nil for anything
  /// else, such as the lossless JPEGs in which some cameras keep raw pixels.
  func jpegShape(at offset: Int64) -> (width: Int, height: Int)? {
    guard exactly(3, at: offset) == [0xff, 0xd8, 0xff] else { return nil }
    var at = offset + 2
    for _ in 0..<256 {
      guard let head = exactly(9, at: at), head[0] == 0xff else { return nil }
      switch head[1] {
      case 0xff: at += 1
      case 0xc0, 0xc1, 0xc2: return (Int(head[7]) << 8 | Int(head[8]), Int(head[5]) << 8 | Int(head[6]))
      case 0xc3, 0xc5...0xc7, 0xc9...0xcb, 0xcd...0xcf, 0xd8...0xda: return nil
      default: at += 2 + (Int64(head[2]) << 8 | Int64(head[3]))
      }
    }
    return nil
  }
}

struct MemoryBytes: ByteSource {
  let content: [UInt8]
  var size: Int64 { Int64(content.count) }

  func bytes(at offset: Int64, count: Int) -> [UInt8]? {
    guard offset >= 0, count >= 0, offset <= size else { return nil }
    return Array(content.dropFirst(Int(offset)).prefix(count))
  }
}

extension FileInput: ByteSource {}
