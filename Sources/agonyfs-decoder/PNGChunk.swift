/// A chunk of a PNG (PNG, third edition, 5.3).
struct PNGChunk {
  let name: String
  /// Whether the chunk is critical: a decoder that does not know it cannot show the picture.
  let isNeeded: Bool
  /// The range with length, name and checksum.
  let whole: Range<Int64>

  /// Reads the chunk at an offset; nil if the file ends before the chunk.
  init?(_ source: some ByteSource, at start: Int64) {
    guard let head = source.exactly(8, at: start) else { return nil }
    let count = head[..<4].reduce(0) { $0 << 8 | Int64($1) }
    guard count <= Int64(Int32.max), start + 12 + count <= source.size else { return nil }
    whole = start..<(start + 12 + count)
    name = String(decoding: head[4...], as: UTF8.self)
    isNeeded = head[4] & 0x20 == 0
  }

  /// The data of the chunk; nil if it has more than `most` bytes.
  func content(_ source: some ByteSource, most: Int64) -> [UInt8]? {
    let count = whole.upperBound - whole.lowerBound - 12
    return count <= most ? source.exactly(Int(count), at: whole.lowerBound + 8) : nil
  }
}

/// The short texts of a PNG by keyword (11.3.3).
enum PNGText {
  private static let mostChunks = 256
  private static let mostBytes: Int64 = 1024

  /// The uncompressed texts with a keyword. The search ends at the picture data.
  static func values(of name: String, in source: some ByteSource) -> [String] {
    let start = Array(name.utf8) + [0]
    var values: [String] = []
    var at: Int64 = 8
    for _ in 0..<mostChunks {
      guard let chunk = PNGChunk(source, at: at), chunk.name != "IDAT" else { break }
      at = chunk.whole.upperBound
      guard ["tEXt", "iTXt"].contains(chunk.name), let content = chunk.content(source, most: mostBytes),
        content.starts(with: start)
      else { continue }
      let rest = content.dropFirst(start.count)
      if chunk.name == "tEXt" {
        values.append(MetadataTexts.text(rest))
        continue
      }
      // Compression flag and method, language tag, and translated keyword.
      let parts = rest.dropFirst(2).split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
      if rest.first == 0, parts.count == 3 { values.append(MetadataTexts.text(parts[2])) }
    }
    return values
  }
}
