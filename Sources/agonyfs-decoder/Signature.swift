internal import Media

/// The kind of a file by its first bytes.
enum Signature {
  /// Bytes that are looked at.
  static let bytes = 4096

  /// Formats that begin alike are distinguished later: a TIFF may be a raw file.
  static func kind(of start: [UInt8]) -> MediaKind? {
    func has(_ text: String, at offset: Int = 0) -> Bool {
      start.dropFirst(offset).starts(with: text.utf8)
    }
    // The mount never asks about content that `mayBegin` rules out.
    guard start.count >= MediaKind.beginningSize, unsafe start.withUnsafeBytes({ unsafe MediaKind.mayBegin(with: $0) })
    else {
      return nil
    }
    if start.starts(with: [0xff, 0xd8, 0xff]) { return .jpeg }
    if start.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) { return .png }
    if has("GIF87a") || has("GIF89a") { return .gif }
    if has("RIFF"), has("WEBP", at: 8) { return .webp }
    if has("RIFF"), has("AVI ", at: 8) { return .avi }
    if start.starts(with: [0xff, 0x0a])
      || start.starts(with: [0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a])
    {
      return .jpegXL
    }
    if has("FUJIFILMCCD-RAW ") { return .raw }
    // Olympus and Panasonic have their own numbers in place of TIFF's 42.
    if has("IIRO") || has("IIRS") || has("MMOR") || start.starts(with: [0x49, 0x49, 0x55, 0]) { return .raw }
    if start.starts(with: [0x49, 0x49, 42, 0]) || start.starts(with: [0x4d, 0x4d, 0, 42]) { return .tiff }
    if start.starts(with: [0x49, 0x49, 43, 0]) || start.starts(with: [0x4d, 0x4d, 0, 43]) { return .tiff }
    if start.starts(with: [0x1a, 0x45, 0xdf, 0xa3]) { return matroska(start) }
    if has("ftyp", at: 4) { return brand(start) }
    // QuickTime files older than brands.
    for box in ["moov", "mdat", "wide", "free", "skip", "pnot"] where has(box, at: 4) { return .quickTime }
    return nil
  }

  /// The document type, from the first element of a Matroska file (RFC 8794, 11.2).
  private static func matroska(_ start: [UInt8]) -> MediaKind? {
    let head = start.prefix(128)
    for index in head.indices.dropLast(3) where head[index] == 0x42 && head[index + 1] == 0x82 {
      let name = head.dropFirst(index + 3)
      if name.starts(with: Array("webm".utf8)) { return .webM }
      if name.starts(with: Array("matroska".utf8)) { return .matroska }
    }
    return nil
  }

  /// By the brands of an ISO base media file (ISO/IEC 14496-12, 4.3): the major one, then the compatible ones.
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
      // "mif1" and "msf1" say only that there is a picture; another brand says how it is coded.
      default: continue
      }
    }
    return nil
  }
}
