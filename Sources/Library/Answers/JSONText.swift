// JSON written straight into bytes. Answers can have millions of lines, so no intermediate strings are made.
//
// Invariants
// 1. The output is UTF-8: each ill-formed sequence, as Swift counts them, becomes one U+FFFD.

/// A JSON writer. It adds the commas itself, before every element except the first of an object or array.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// Drops the bytes written so far and keeps their capacity.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  /// Drops everything after the first `count` bytes, which must end a line.
  mutating func goBack(to count: Int) {
    bytes.removeLast(bytes.count - count)
    needsComma = false
  }

  mutating func beginObject() { begin(0x7B) }
  mutating func endObject() { end(0x7D) }
  mutating func beginArray() { begin(0x5B) }
  mutating func endArray() { end(0x5D) }

  mutating func raw(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  mutating func raw(_ byte: UInt8) { bytes.append(byte) }

  /// Ends a line; the next value starts without a comma.
  mutating func endLine() {
    bytes.append(0x0A)
    needsComma = false
  }

  /// Ends the current line if it is incomplete.
  mutating func breakLine() { if let last = bytes.last, last != 0x0A { endLine() } }

  /// Writes the name of the next value. It must be ASCII without quotes and backslashes.
  mutating func name(_ name: StaticString) {
    comma()
    bytes.append(0x22)
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(0x22)
    bytes.append(0x3A)
    needsComma = false
  }

  /// Writes the name of a user-defined field, in which nothing has to be escaped.
  mutating func name(own name: String) {
    comma()
    bytes.append(contentsOf: "\"x.\(name)\":".utf8)
    needsComma = false
  }

  mutating func value(_ flag: Bool) { literal(flag ? "true" : "false") }

  mutating func null() { literal("null") }

  mutating func value(_ number: Int64) {
    comma()
    digits(number)
    needsComma = true
  }

  /// Writes a number that counts units of 10 to the power of minus `decimals`, without trailing zeros.
  mutating func value(_ number: Int64, decimals: Int) {
    comma()
    if number < 0 { bytes.append(0x2D) }
    var unit: UInt64 = 1
    for _ in 0..<decimals { unit *= 10 }
    digits(Int64(clamping: number.magnitude / unit))
    var (rest, places) = (number.magnitude % unit, decimals)
    if rest > 0 {
      while rest % 10 == 0 {
        rest /= 10
        places -= 1
      }
      plain(".", Int(rest), digits: places)
    }
    needsComma = true
  }

  /// Writes a number in the shortest form that reads back as the same value; null if it is not finite.
  mutating func value(_ number: Double) {
    guard number.isFinite else { return null() }
    if let whole = Int64(exactly: number), abs(whole) < 1 << 53 { return value(whole) }
    comma()
    bytes.append(contentsOf: number.description.utf8)
    needsComma = true
  }

  mutating func value(_ text: String) {
    comma()
    var text = text
    text.withUTF8 { unsafe quoted($0) }
    needsComma = true
  }

  /// Writes bytes as a string; ill-formed UTF-8 becomes U+FFFD.
  mutating func value(bytes text: [UInt8]) { value(bytes: text, isUTF8: Self.isUTF8(text)) }

  /// As above, for a caller that knows whether the bytes are UTF-8.
  mutating func value(bytes text: [UInt8], isUTF8: Bool) {
    if isUTF8 {
      comma()
      unsafe text.withUnsafeBufferPointer { unsafe quoted($0) }
      needsComma = true
    } else {
      value(String(decoding: text, as: UTF8.self))
    }
  }

  static func isUTF8(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
  }

  mutating func value(digitsOf value: [UInt8]) {
    beginPlain()
    for byte in value {
      bytes.append(Self.digit(byte >> 4))
      bytes.append(Self.digit(byte & 15))
    }
    endPlain()
  }

  private static func digit(_ half: UInt8) -> UInt8 { half < 10 ? 0x30 + half : 0x57 + half }

  /// Begins a string that needs no escaping; its parts follow.
  mutating func beginPlain() {
    comma()
    bytes.append(0x22)
  }

  /// Writes an ASCII character of a plain string, and then a number with leading zeros.
  mutating func plain(_ character: Unicode.Scalar, _ number: Int, digits: Int = 2) {
    plain(character)
    plain(UInt64(number), digits: digits)
  }

  /// Writes an ASCII character of a plain string.
  mutating func plain(_ character: Unicode.Scalar) { bytes.append(UInt8(truncatingIfNeeded: character.value)) }

  /// Writes a number with leading zeros into a plain string.
  mutating func plain(_ number: UInt64, digits: Int) {
    // Eight digits fit into one 64-bit word.
    if digits > 8 { plain(number / 100_000_000, digits: digits - 8) }
    var rest = number
    var word: UInt64 = 0
    let count = min(digits, 8)
    for _ in 0..<count {
      word = word << 8 | (0x30 + rest % 10)
      rest /= 10
    }
    for _ in 0..<count {
      bytes.append(UInt8(truncatingIfNeeded: word))
      word >>= 8
    }
  }

  mutating func endPlain() {
    bytes.append(0x22)
    needsComma = true
  }

  mutating func value(written: [UInt8]) {
    comma()
    bytes.append(contentsOf: written)
    needsComma = true
  }

  // MARK: Values with their names, left out if the value is nil

  mutating func field(_ name: StaticString, _ flag: Bool) {
    self.name(name)
    value(flag)
  }

  mutating func field(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    self.name(name)
    value(text)
  }

  mutating func field(_ name: StaticString, _ number: Int64?) {
    guard let number else { return }
    self.name(name)
    value(number)
  }

  mutating func field(_ name: StaticString, _ number: Int64?, decimals: Int) {
    guard let number else { return }
    self.name(name)
    value(number, decimals: decimals)
  }

  mutating func field(_ name: StaticString, _ number: Double?) {
    guard let number, number.isFinite else { return }
    self.name(name)
    value(number)
  }

  mutating func field(_ name: StaticString, digitsOf bytes: [UInt8]?) {
    guard let bytes else { return }
    self.name(name)
    value(digitsOf: bytes)
  }

  /// Writes bytes as a string; if they are not UTF-8, also as hexadecimal digits under a second name.
  mutating func field(_ name: StaticString, _ bytes: [UInt8], digits digitsName: StaticString) {
    let isUTF8 = Self.isUTF8(bytes)
    self.name(name)
    value(bytes: bytes, isUTF8: isUTF8)
    if !isUTF8 { field(digitsName, digitsOf: bytes) }
  }

  private mutating func comma() { if needsComma { bytes.append(0x2C) } }

  private mutating func begin(_ bracket: UInt8) {
    comma()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func literal(_ text: StaticString) {
    comma()
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    needsComma = true
  }

  private mutating func digits(_ number: Int64) {
    if number < 0 { bytes.append(0x2D) }
    var (count, limit) = (1, UInt64(10))
    while count < 19, number.magnitude >= limit {
      count += 1
      limit *= 10
    }
    plain(number.magnitude, digits: count)
  }

  private mutating func quoted(_ text: UnsafeBufferPointer<UInt8>) {
    bytes.append(0x22)
    // Runs of bytes that need no escaping are copied whole.
    var start = 0
    for place in text.indices {
      let byte = unsafe text[place]
      guard byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F else { continue }
      unsafe bytes.append(contentsOf: text[start..<place])
      escape(byte)
      start = place + 1
    }
    unsafe bytes.append(contentsOf: text[start...])
    bytes.append(0x22)
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x22, 0x5C: bytes += [0x5C, byte]
    case 0x0A: bytes += [0x5C, 0x6E]
    case 0x0D: bytes += [0x5C, 0x72]
    case 0x09: bytes += [0x5C, 0x74]
    default: bytes += [0x5C, 0x75, 0x30, 0x30, Self.digit(byte >> 4), Self.digit(byte & 15)]
    }
  }
}
