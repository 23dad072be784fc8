internal import Media

/// Determines the kind of a file from its first bytes.
enum Signature {
  /// The number of bytes that are examined.
  static let bytes = 4096

  /// Formats with the same beginning are distinguished later. For example, a TIFF may be a raw file.
  static func kind(of start: [UInt8]) -> MediaKind? {
    guard start.count >= MediaKind.beginningSize else { return nil }
    switch unsafe start.withUnsafeBytes({ unsafe MediaKind(beginning: $0) }) {
    case .matroska: return matroska(start)
    case .mp4: return brand(start)
    case .transportStream: return hasPackets(start) ? .transportStream : nil
    case .ogg: return hasVideo(ogg: start) ? .ogg : nil
    case .bitmap: return hasHeader(bitmap: start) ? .bitmap : nil
    case let kind: return kind
    }
  }

  /// The document type in the first element of a Matroska file (RFC 8794, 11.2).
  private static func matroska(_ start: [UInt8]) -> MediaKind? {
    let head = start.prefix(128)
    for index in head.indices.dropLast(3) where head[index] == 0x42 && head[index + 1] == 0x82 {
      let name = head.dropFirst(index + 3)
      if name.starts(with: Array("webm".utf8)) { return .webM }
      if name.starts(with: Array("matroska".utf8)) { return .matroska }
    }
    return nil
  }

  /// Whether packets of a transport stream follow each other. They have 188 bytes, or 192 with a time before each
  /// (ISO/IEC 13818-1, 2.4.3.2).
  private static func hasPackets(_ start: [UInt8]) -> Bool {
    let (first, size) = start[0] == 0x47 ? (0, 188) : (4, 192)
    return (1...4).allSatisfy { number in
      let place = first + number * size
      return place >= start.count || start[place] == 0x47
    } && start.count > first + size
  }

  /// Whether a Theora stream begins in the first pages.
  private static func hasVideo(ogg start: [UInt8]) -> Bool {
    let mark = [0x80] + Array("theora".utf8)
    return start.indices.dropLast(mark.count - 1).contains { start[$0...].starts(with: mark) }
  }

  /// Whether the second header has a known size (BITMAPCOREHEADER to BITMAPV5HEADER).
  private static func hasHeader(bitmap start: [UInt8]) -> Bool {
    guard start.count > 17 else { return false }
    return [12, 40, 52, 56, 64, 108, 124].contains(start[14]) && start[15...17].allSatisfy { $0 == 0 }
  }

  /// The kind by the brands of an ISO base media file (ISO/IEC 14496-12, 4.3): the major brand first, then the
  /// compatible brands.
  private static func brand(_ start: [UInt8]) -> MediaKind? {
    guard start.count >= 16 else { return nil }
    let count = start.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let end = min(max(count, 16), start.count)
    var brands = [start[8..<12]]
    for offset in stride(from: 16, to: end - 3, by: 4) { brands.append(start[offset..<(offset + 4)]) }
    for brand in brands.map({ String(decoding: $0, as: UTF8.self) }) {
      switch brand {
      case "avif", "avis": return .avif
      case "heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs": return .heic
      case "crx ": return .raw
      case "qt  ": return .quickTime
      case "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "dash", "M4V ", "M4VH", "M4VP",
        "mmp4", "MSNV", "f4v ":
        return .mp4
      case _ where brand.hasPrefix("3gp") || brand.hasPrefix("3g2"): return .threeGP
      // "mif1" and "msf1" only mean that the file is a picture. Another brand states its codec.
      default: continue
      }
    }
    return nil
  }
}
