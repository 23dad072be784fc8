/// The size of a JPEG that contains only a picture. The daemon lets nothing else into a vault, so a compromised
/// decoder cannot hide anything in metadata.
///
/// Markers as in ITU-T T.81, Annex B.
package struct PlainJPEG: Sendable, Equatable {
  /// Width in pixels.
  package let width: Int
  /// Height in pixels.
  package let height: Int

  /// Nil unless the bytes are one complete baseline or progressive JPEG without a thumbnail, a comment or bytes after
  /// its end, and with JFIF's as the only application segment.
  package init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: [0xff, 0xd8]), bytes.suffix(2) == [0xff, 0xd9] else { return nil }
    var shape: (Int, Int)?
    var at = 2
    while at + 4 <= bytes.count {
      guard bytes[at] == 0xff else { return nil }
      let marker = bytes[at + 1]
      let count = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
      let end = at + 2 + count
      guard count >= 2, end <= bytes.count else { return nil }
      let body = bytes[(at + 4)..<end]
      switch marker {
      case 0xe0:
        // 16 bytes, including the length itself: without a thumbnail.
        guard count == 16, body.starts(with: [0x4a, 0x46, 0x49, 0x46, 0]) else { return nil }
      case 0xc0, 0xc2:
        guard body.count >= 6, shape == nil else { return nil }
        let start = body.startIndex
        shape = (Int(body[start + 3]) << 8 | Int(body[start + 4]), Int(body[start + 1]) << 8 | Int(body[start + 2]))
      case 0xc4, 0xdb, 0xdd: break
      case 0xda:
        at = Self.endOfScan(bytes, from: end)
        if at == bytes.count - 2 {
          guard let (width, height) = shape, width > 0, height > 0 else { return nil }
          self.width = width
          self.height = height
          return
        }
        continue
      default: return nil
      }
      at = end
    }
    return nil
  }

  /// Where the entropy-coded bytes end: at the next marker that is neither a stuffed byte nor a restart marker.
  private static func endOfScan(_ bytes: [UInt8], from start: Int) -> Int {
    var at = start
    while at + 1 < bytes.count {
      if bytes[at] == 0xff, bytes[at + 1] != 0, !(0xd0...0xd7).contains(bytes[at + 1]) { return at }
      at += 1
    }
    return bytes.count
  }
}
