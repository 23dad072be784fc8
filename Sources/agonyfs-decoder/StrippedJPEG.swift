internal import Media

/// Strips metadata from a JPEG (ITU-T T.81, Annex B). The bytes of the coded picture stay unchanged.
///
/// 1. A segment that is not known to be needed for the picture is removed. So is everything after the end of the
///    picture: further pictures, videos and trailers, which may contain metadata.
enum StrippedJPEG {
  /// The maximum number of segments.
  private static let mostSegments = 20_000
  /// The number of bytes that are searched at once.
  private static let scanStep = 256 << 10

  /// The recipe for the file without metadata.
  static func recipe(_ input: FileInput, _ mode: StripMode) throws(DecoderError) -> ContentRecipe {
    var recipe = ContentRecipe()
    recipe.keep(0..<2)
    // EXIF that is left is written after the start marker, JFIF and Adobe's segment.
    var exif: [UInt8]?
    var kept: [Range<Int64>] = []
    var jfif: [UInt8] = []
    var adobe: [UInt8] = []
    var at: Int64 = 2
    for _ in 0..<mostSegments {
      guard let head = input.exactly(2, at: at), head[0] == 0xff else { throw .undecodable("the JPEG is damaged") }
      let marker = head[1]
      if marker == 0xff {
        at += 1
        continue
      }
      if marker == 0xd9 {
        kept.append(at..<(at + 2))
        recipe.put(jfif + adobe)
        if let exif { recipe.put(try segment(exif)) }
        for range in kept { recipe.keep(range) }
        return recipe
      }
      guard let length = input.exactly(2, at: at + 2).map({ Int64($0[0]) << 8 | Int64($0[1]) }), length >= 2,
        at + 2 + length <= input.size
      else { throw .undecodable("the JPEG is incomplete") }
      let whole = at..<(at + 2 + length)
      at = whole.upperBound
      switch marker {
      case 0xe0:
        // A JFIF segment without a thumbnail has 16 bytes, including its length.
        guard length >= 16, let body = input.exactly(14, at: whole.lowerBound + 4),
          body.starts(with: Array("JFIF\0".utf8))
        else { continue }
        if jfif.isEmpty { jfif = [0xff, 0xe0, 0, 16] + body.prefix(12) + [0, 0] }
      case 0xe1:
        guard exif == nil, let body = input.exactly(Int(length) - 2, at: whole.lowerBound + 4),
          body.starts(with: Array("Exif\0\0".utf8))
        else { continue }
        exif = StrippedExif.block(of: body, mode) ?? []
      case 0xe2:
        if input.exactly(12, at: whole.lowerBound + 4) == Array("ICC_PROFILE\0".utf8) { kept.append(whole) }
      case 0xee:
        // The first 12 bytes state the colour transform. Readers ignore the rest.
        if length >= 14, let body = input.exactly(12, at: whole.lowerBound + 4), body.starts(with: Array("Adobe".utf8))
        {
          adobe = [0xff, 0xee, 0, 14] + body
        }
      case 0xc0...0xc3, 0xc5...0xc7, 0xc9...0xcb, 0xcd...0xcf, 0xc4, 0xcc, 0xdb, 0xdc, 0xdd: kept.append(whole)
      case 0xda:
        at = try endOfScan(input, from: whole.upperBound)
        kept.append(whole.lowerBound..<at)
      case 0xe3...0xef, 0xfe: continue
      default: throw .undecodable("the JPEG has segments of an unknown kind")
      }
    }
    throw .undecodable("the JPEG has too many segments")
  }

  private static func segment(_ exif: [UInt8]) throws(DecoderError) -> [UInt8] {
    if exif.isEmpty { return [] }
    let body = Array("Exif\0\0".utf8) + exif
    guard body.count + 2 <= UInt16.max else { throw .undecodable("the EXIF is too long") }
    return [0xff, 0xe1, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 0xff)] + body
  }

  /// The end of the entropy-coded bytes: the next marker that is neither a stuffed byte nor a restart marker.
  private static func endOfScan(_ input: FileInput, from start: Int64) throws(DecoderError) -> Int64 {
    var at = start
    while at < input.size {
      guard let block = input.bytes(at: at, count: scanStep), block.count > 1 else { break }
      let found = unsafe block.withUnsafeBufferPointer { bytes -> Int? in
        for index in 0..<(bytes.count - 1)
        where unsafe bytes[index] == 0xff && bytes[index + 1] != 0 && bytes[index + 1] != 0xff
          && !(0xd0...0xd7).contains(bytes[index + 1])
        {
          return index
        }
        return nil
      }
      if let found { return at + Int64(found) }
      // The last byte may begin a marker, so the next block starts with it.
      at += Int64(block.count - 1)
    }
    throw .undecodable("the JPEG is incomplete")
  }
}
