// Invariants
// 1. A chunk's length is checked against the file; memory is never allocated by it.
// 2. Texts are unpacked into a buffer of a fixed size; a text that does not fit is skipped.
// 3. The number of chunks that are read, and of values that are kept, is limited.

internal import CZlib
internal import SystemPackage

/// The texts of a PNG, from its chunks tEXt, zTXt and iTXt. The picture is never decoded.
enum PNGText {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// Longest text in bytes, packed or not: three times a path of 4096 bytes with all of them escaped.
  private static let mostText = 64 << 10
  private static let mostChunks = 10_000
  private static let mostValues = 8

  /// The values of a keyword, in their order; nil if the file is not a PNG.
  static func values(of keyword: String, in file: OwnFile) throws(Errno) -> [[UInt8]]? {
    guard try file.read(at: 0, most: signature.count) == signature else { return nil }
    var values: [[UInt8]] = []
    var place = signature.count
    for _ in 0..<mostChunks {
      let header = try file.read(at: place, most: 8)
      guard header.count == 8 else { break }
      let length = header[..<4].reduce(0) { $0 << 8 | Int($1) }
      let kind = String(decoding: header[4...], as: UTF8.self)
      if kind == "IEND" || values.count == mostValues { break }
      if ["tEXt", "zTXt", "iTXt"].contains(kind), length <= mostText {
        let body = try file.read(at: place + 8, most: length)
        if body.count == length, let value = value(of: Array(keyword.utf8), kind, body) { values.append(value) }
      }
      // Length, kind and checksum take four bytes each.
      place += 12 + length
    }
    return values
  }

  private static func value(of keyword: [UInt8], _ kind: String, _ body: [UInt8]) -> [UInt8]? {
    guard body.starts(with: keyword + [0]) else { return nil }
    let rest = body[(keyword.count + 1)...]
    switch kind {
    case "tEXt": return Array(rest)
    case "zTXt": return rest.first == 0 ? unpacked(rest.dropFirst()) : nil
    default:
      guard rest.count > 2 else { return nil }
      let isPacked = rest[rest.startIndex] == 1
      // The language, and the keyword in that language, each end with a zero byte.
      let texts = rest.dropFirst(2).split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
      guard texts.count == 3 else { return nil }
      return isPacked ? unpacked(texts[2]) : Array(texts[2])
    }
  }

  private static func unpacked(_ packed: ArraySlice<UInt8>) -> [UInt8]? {
    let packed = Array(packed)
    var text = [UInt8](repeating: 0, count: mostText)
    var count = uLongf(mostText)
    guard unsafe uncompress(&text, &count, packed, uLong(packed.count)) == Z_OK else { return nil }
    return Array(text[..<Int(count)])
  }
}
