/// Reads CSV (RFC 4180), also with semicolons or tabs instead of commas.
struct CSVReader {
  struct Malformed: Error, Equatable {
    /// The line, counted from 1.
    var line: Int
    var reason: String
  }

  private let bytes: [UInt8]
  private let mark: UInt8
  private var place = 0
  private var line = 1

  /// The separator is the one that occurs most often in the first line.
  init(_ text: [UInt8]) {
    let mark = Array("\u{FEFF}".utf8)
    bytes = text.starts(with: mark) ? Array(text.dropFirst(mark.count)) : text
    self.mark = Self.separator(in: bytes)
  }

  private static func separator(in bytes: [UInt8]) -> UInt8 {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == UInt8(ascii: "\n") { break }
      counts[byte, default: 0] += 1
    }
    let known = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
    let most = known.map { counts[$0] ?? 0 }.max() ?? 0
    return known.first { counts[$0] ?? 0 == most } ?? known[0]
  }

  /// The fields of the next record; nil at the end. Empty lines are skipped.
  mutating func next() throws(Malformed) -> [String]? {
    while place < bytes.count, Self.isLineEnd(bytes[place]) { skipLineEnd() }
    guard place < bytes.count else { return nil }
    var fields = [try field()]
    while place < bytes.count, bytes[place] == mark {
      place += 1
      fields.append(try field())
    }
    if place < bytes.count { skipLineEnd() }
    return fields
  }

  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  private mutating func skipLineEnd() {
    if bytes[place] == 0x0D, place + 1 < bytes.count, bytes[place + 1] == 0x0A { place += 1 }
    place += 1
    line += 1
  }

  private mutating func field() throws(Malformed) -> String {
    let quote = UInt8(ascii: "\"")
    let first = line
    var content: [UInt8] = []
    if place < bytes.count, bytes[place] == quote {
      place += 1
      while true {
        guard place < bytes.count else { throw Malformed(line: first, reason: "a quote is not closed") }
        let byte = bytes[place]
        place += 1
        if byte == 0x0A { line += 1 }
        if byte != quote {
          content.append(byte)
        } else if place < bytes.count, bytes[place] == quote {
          content.append(quote)
          place += 1
        } else {
          break
        }
      }
      guard place == bytes.count || bytes[place] == mark || Self.isLineEnd(bytes[place]) else {
        throw Malformed(line: line, reason: "text follows a closing quote")
      }
    } else {
      while place < bytes.count, bytes[place] != mark, !Self.isLineEnd(bytes[place]) {
        content.append(bytes[place])
        place += 1
      }
    }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw Malformed(line: first, reason: "it is not UTF-8 text")
    }
    return text
  }
}
