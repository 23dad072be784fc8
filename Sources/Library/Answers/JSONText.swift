// JSON written straight into bytes. Answers have millions of lines, so no text is made on the way.
//
// Invariants
// 1. What is written is UTF-8: bytes that are not become U+FFFD, one for each ill-formed sequence as Swift sees it.

/// JSON in the making. Commas are set by themselves: before everything but the first in an object or array.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// Takes the bytes written so far, and begins anew with their room.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  /// Takes back what was written since so many bytes, which end a line.
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

  /// Ends a line, after which another value may begin.
  mutating func endLine() {
    bytes.append(0x0A)
    needsComma = false
  }

  /// Breaks off a line that is not whole.
  mutating func breakLine() { if let last = bytes.last, last != 0x0A { endLine() } }

  /// The name of the next value. It is ASCII without quotes and backslashes.
  mutating func name(_ name: StaticString) {
    comma()
    bytes.append(0x22)
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(0x22)
    bytes.append(0x3A)
    needsComma = false
  }

  /// The name of a field of the user's own, in which nothing has to be escaped.
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

  /// A number in units of a negative power of ten, without zeros at its end.
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

  /// A number as short as it can be told apart; the caller leaves out what is no number.
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

  /// Bytes as a text; those that are no UTF-8 become U+FFFD.
  mutating func value(bytes text: [UInt8]) { value(bytes: text, isUTF8: Self.isUTF8(text)) }

  /// The same for a caller that knows whether they are UTF-8.
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

  /// Begins a text that needs no escaping; its parts follow.
  mutating func beginPlain() {
    comma()
    bytes.append(0x22)
  }

  /// An ASCII character of a plain text, and then a number with leading zeros.
  mutating func plain(_ character: Unicode.Scalar, _ number: Int, digits: Int = 2) {
    plain(character)
    plain(UInt64(number), digits: digits)
  }

  /// An ASCII character of a plain text.
  mutating func plain(_ character: Unicode.Scalar) { bytes.append(UInt8(truncatingIfNeeded: character.value)) }

  /// A number with leading zeros in a plain text.
  mutating func plain(_ number: UInt64, digits: Int) {
    // Eight digits fit into a word.
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

  // MARK: Values with their names, which are left out where there is none

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

  /// Bytes as a text; where they are no UTF-8 also as hexadecimal digits, under a name for these.
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
    // Runs without anything to escape are copied as they are.
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
