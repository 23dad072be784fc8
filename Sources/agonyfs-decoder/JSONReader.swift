/// The texts, numbers and flags of a JSON object (RFC 8259) by their paths: "people[].name". Nil for what is no JSON, is
/// nested deeper than `mostLevels`, or has more than `mostValues`.
struct JSONReader {
  private static let mostLevels = 32
  private static let mostValues = 20_000

  private let bytes: [UInt8]
  private var place = 0
  private(set) var values: [String: [String]] = [:]
  private var count = 0

  init?(_ bytes: [UInt8]) {
    self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard peek() == UInt8(ascii: "{"), value("", level: 0), peek() == nil else { return nil }
  }

  /// The next byte that is no white space; nil at the end.
  private mutating func peek() -> UInt8? {
    while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
    return place < bytes.count ? bytes[place] : nil
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    place += 1
    return true
  }

  private mutating func add(_ text: String, _ path: String) { values[path, default: []].append(text) }

  private mutating func value(_ path: String, level: Int) -> Bool {
    count += 1
    guard level <= Self.mostLevels, count <= Self.mostValues, let first = peek() else { return false }
    switch first {
    case UInt8(ascii: "{"): return object(path, level)
    case UInt8(ascii: "["): return array(path, level)
    case UInt8(ascii: "\""):
      guard let text = string() else { return false }
      add(text, path)
      return true
    default: return word(path)
    }
  }

  private mutating func object(_ path: String, _ level: Int) -> Bool {
    place += 1
    if take(UInt8(ascii: "}")) { return true }
    while true {
      guard peek() == UInt8(ascii: "\""), let key = string(), take(UInt8(ascii: ":")),
        value(path.isEmpty ? key : path + "." + key, level: level + 1)
      else { return false }
      if take(UInt8(ascii: "}")) { return true }
      guard take(UInt8(ascii: ",")) else { return false }
    }
  }

  private mutating func array(_ path: String, _ level: Int) -> Bool {
    place += 1
    if take(UInt8(ascii: "]")) { return true }
    while true {
      guard value(path + "[]", level: level + 1) else { return false }
      if take(UInt8(ascii: "]")) { return true }
      guard take(UInt8(ascii: ",")) else { return false }
    }
  }

  /// A number, true, false or null.
  private mutating func word(_ path: String) -> Bool {
    let word = bytes[place...].prefix { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45].contains(byte)
    }
    place += word.count
    let text = String(decoding: word, as: UTF8.self)
    switch text {
    case "null": return true
    case "true", "false": break
    default: guard let first = word.first, first == 0x2D || (0x30...0x39).contains(first) else { return false }
    }
    add(text, path)
    return true
  }

  private mutating func string() -> String? {
    place += 1
    var text: [UInt8] = []
    var units: [UInt16] = []
    func flushed() -> [UInt8] { Array(String(decoding: units, as: UTF16.self).utf8) }
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      let isEscaped = byte == UInt8(ascii: "\\")
      if isEscaped, place < bytes.count, bytes[place] == UInt8(ascii: "u") {
        guard let unit = unit() else { return nil }
        units.append(unit)
        continue
      }
      text += flushed()
      units = []
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      guard byte >= 0x20 else { return nil }
      if isEscaped {
        guard place < bytes.count, let meant = Self.escapes[bytes[place]] else { return nil }
        place += 1
        text.append(meant)
      } else {
        text.append(byte)
      }
    }
    return nil
  }

  private static let escapes: [UInt8: UInt8] = [
    0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
  ]

  /// Four hexadecimal digits after the "u".
  private mutating func unit() -> UInt16? {
    guard bytes.count - place >= 5 else { return nil }
    let digits = bytes[(place + 1)..<(place + 5)]
    place += 5
    let isHexadecimal = digits.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x46).contains($0) || (0x61...0x66).contains($0)
    }
    return isHexadecimal ? UInt16(String(decoding: digits, as: UTF8.self), radix: 16) : nil
  }
}
