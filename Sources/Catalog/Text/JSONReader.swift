// Invariants
// 1. Only JSON by RFC 8259, in UTF-8, is accepted. Nothing is guessed; with `repairsText`, ill-formed UTF-8 is
//    replaced.
// 2. Lists and objects are nested at most `mostDepth` deep, so that no text exhausts the stack.

/// Reads JSON.
package struct JSONReader {
  /// Why a text is not JSON.
  package struct Malformed: Error, Equatable {
    /// The byte at which the error was found.
    package var offset: Int
  }

  private let mostDepth: Int
  private let repairsText: Bool
  private var valuesLeft: Int
  private let bytes: [UInt8]
  private(set) var offset = 0
  private var depth = 0

  /// A reader of these bytes.
  ///
  /// - Parameters:
  /// - mostValues: the largest number of values, including nested ones: each takes more memory than in the text.
  ///   - mostDepth: the deepest nesting of lists and objects.
  ///   - repairsText: whether ill-formed UTF-8 in a string becomes U+FFFD; otherwise it is an error.
  package init(_ bytes: [UInt8], mostValues: Int = .max, mostDepth: Int = 100, repairsText: Bool = false) {
    (self.bytes, self.mostDepth, self.repairsText, valuesLeft) = (bytes, mostDepth, repairsText, mostValues)
  }

  /// Reads the only value of a text, which has at most `mostValues` values including nested ones.
  package static func value(of bytes: [UInt8], mostValues: Int = .max) throws(Malformed) -> JSONValue {
    var reader = JSONReader(bytes, mostValues: mostValues)
    return try reader.onlyValue()
  }

  /// Reads the only value of the text.
  package mutating func onlyValue() throws(Malformed) -> JSONValue {
    let value = try next()
    guard isAtEnd else { throw malformed }
    return value
  }

  /// Whether only white space is left.
  package var isAtEnd: Bool { bytes[offset...].allSatisfy { Self.isSpace($0) } }

  /// Reads one value, and stops after it.
  package mutating func next() throws(Malformed) -> JSONValue {
    skipSpace()
    guard offset < bytes.count, valuesLeft > 0 else { throw malformed }
    valuesLeft -= 1
    switch bytes[offset] {
    case UInt8(ascii: "{"): return try nested { reader throws(Malformed) in try reader.object() }
    case UInt8(ascii: "["): return try nested { reader throws(Malformed) in try reader.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private var malformed: Malformed { Malformed(offset: offset) }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  private mutating func skipSpace() {
    while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
  }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    skipSpace()
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: byte) else { return false }
    offset += 1
    return true
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Malformed) -> JSONValue {
    let wanted = Array(word.description.utf8)
    guard bytes[offset...].starts(with: wanted) else { throw malformed }
    offset += wanted.count
    return value
  }

  private mutating func nested(
    _ body: (inout JSONReader) throws(Malformed) -> JSONValue
  ) throws(Malformed) -> JSONValue {
    guard depth < mostDepth else { throw malformed }
    depth += 1
    offset += 1
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func object() throws(Malformed) -> JSONValue {
    var fields: [JSONValue.Field] = []
    if take("}") { return .object(fields) }
    repeat {
      skipSpace()
      guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { throw malformed }
      let name = try string()
      guard take(":") else { throw malformed }
      fields.append(.init(name: name, value: try next()))
    } while take(",")
    guard take("}") else { throw malformed }
    return .object(fields)
  }

  private mutating func array() throws(Malformed) -> JSONValue {
    var values: [JSONValue] = []
    if take("]") { return .array(values) }
    repeat { values.append(try next()) } while take(",")
    guard take("]") else { throw malformed }
    return .array(values)
  }

  private mutating func digits() -> Int {
    let start = offset
    while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) { offset += 1 }
    return offset - start
  }

  private mutating func number() throws(Malformed) -> String {
    let start = offset
    if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
    let first = offset
    let count = digits()
    guard count > 0, count == 1 || bytes[first] != 0x30 else { throw malformed }
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      offset += 1
      guard digits() > 0 else { throw malformed }
    }
    if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") { offset += 1 }
      guard digits() > 0 else { throw malformed }
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func string() throws(Malformed) -> String {
    offset += 1
    var text: [UInt8] = []
    while offset < bytes.count {
      let byte = bytes[offset]
      switch byte {
      case UInt8(ascii: "\""):
        let start = offset
        offset += 1
        if let whole = String(validating: text, as: UTF8.self) { return whole }
        guard repairsText else { throw Malformed(offset: start) }
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try escape()
      case 0..<0x20: throw malformed
      default:
        text.append(byte)
        offset += 1
      }
    }
    throw malformed
  }

  /// The bytes that an escape stands for. An unpaired surrogate becomes U+FFFD, because UTF-8 cannot represent it.
  private mutating func escape() throws(Malformed) -> [UInt8] {
    guard offset + 1 < bytes.count else { throw malformed }
    let simple: [UInt8: UInt8] = [
      0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
    ]
    if let byte = simple[bytes[offset + 1]] {
      offset += 2
      return [byte]
    }
    let high = try codeUnit()
    var units = [high]
    if UTF16.isLeadSurrogate(high), offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
      bytes[offset + 1] == UInt8(ascii: "u")
    {
      let start = offset
      let low = try codeUnit()
      if UTF16.isTrailSurrogate(low) { units.append(low) } else { offset = start }
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private mutating func codeUnit() throws(Malformed) -> UInt16 {
    guard offset + 6 <= bytes.count, bytes[offset + 1] == UInt8(ascii: "u"),
      bytes[offset + 2..<offset + 6].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
      let unit = UInt16(String(decoding: bytes[offset + 2..<offset + 6], as: UTF8.self), radix: 16)
    else { throw malformed }
    offset += 6
    return unit
  }
}
