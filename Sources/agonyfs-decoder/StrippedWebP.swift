internal import Media

/// Strips metadata from a WebP (RFC 9649, 2.7). A chunk that is not known to be needed for the picture is removed, and
/// so is everything after the end of the picture.
enum StrippedWebP {
  private static let kept: Set<String> = ["VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"]
  private static let framesHold: Set<String> = ["VP8 ", "VP8L", "ALPH"]
  private static let mostChunks = 100_000
  private static let mostExifBytes: Int64 = 1 << 20
  /// The bits of the extended header that announce EXIF and XMP.
  private static let exifBit: UInt8 = 0x08
  private static let xmpBit: UInt8 = 0x04

  /// The recipe for the file without metadata.
  static func recipe(_ input: FileInput, _ mode: StripMode) throws(DecoderError) -> ContentRecipe {
    guard let head = input.exactly(12, at: 0) else { throw cut }
    let end = Int64(8) + number(head[4..<8])
    guard end <= input.size else { throw cut }
    var header: [UInt8]?
    var ranges: [Range<Int64>] = []
    var exif: [UInt8]?
    for chunk in try chunks(input, 12..<end) {
      switch chunk.name {
      case "VP8X":
        guard header == nil, ranges.isEmpty, chunk.count == 10,
          let bytes = input.exactly(18, at: chunk.whole.lowerBound)
        else { throw .undecodable("the WebP is damaged") }
        header = bytes
      case "EXIF":
        guard exif == nil, chunk.count <= mostExifBytes,
          let block = input.exactly(Int(chunk.count), at: chunk.whole.lowerBound + 8)
        else { throw .undecodable("the EXIF is too long") }
        exif = StrippedExif.block(of: block, mode) ?? []
      case "ANMF":
        guard chunk.count >= 16 else { throw cut }
        let start = chunk.whole.lowerBound + 24
        let inner = try chunks(input, start..<(chunk.whole.lowerBound + 8 + chunk.count))
        guard inner.allSatisfy({ framesHold.contains($0.name) }) else {
          throw .undecodable("the frames of the WebP have chunks of an unknown kind")
        }
        ranges.append(chunk.whole)
      case let name where kept.contains(name): ranges.append(chunk.whole)
      default: continue
      }
    }
    var tail: [UInt8] = []
    if let exif, !exif.isEmpty, header != nil {
      tail = Array("EXIF".utf8) + little(exif.count) + exif + (exif.count % 2 == 1 ? [0] : [])
    }
    if var bytes = header {
      bytes[8] = bytes[8] & ~(exifBit | xmpBit) | (tail.isEmpty ? 0 : exifBit)
      header = bytes
    }
    let count = 4 + (header?.count ?? 0) + ranges.reduce(0) { $0 + $1.count } + tail.count
    var recipe = ContentRecipe()
    recipe.put(Array("RIFF".utf8) + little(count) + Array("WEBP".utf8) + (header ?? []))
    for range in ranges { recipe.keep(range) }
    recipe.put(tail)
    return recipe
  }

  private static var cut: DecoderError { .undecodable("the WebP is incomplete") }

  private static func chunks(
    _ input: FileInput, _ range: Range<Int64>
  ) throws(DecoderError) -> [(name: String, count: Int64, whole: Range<Int64>)] {
    var found: [(name: String, count: Int64, whole: Range<Int64>)] = []
    var at = range.lowerBound
    while at < range.upperBound {
      guard found.count < mostChunks, let head = input.exactly(8, at: at) else { throw cut }
      let count = number(head[4...])
      // Chunks begin at even offsets. The padding byte may be missing at the end.
      let stop = min(at + 8 + count + count % 2, max(range.upperBound, at + 8 + count))
      guard stop <= range.upperBound else { throw cut }
      found.append((String(decoding: head[..<4], as: UTF8.self), count, at..<stop))
      at = stop
    }
    return found
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reversed().reduce(0) { $0 << 8 | Int64($1) } }

  private static func little(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
}
