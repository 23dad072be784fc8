// Compact encoding of stored facts: whole numbers in groups of seven bits, lowest first; texts, bytes and lists after
// their count.

internal import System

extension ByteWriter {
  /// Appends a number in groups of seven bits, lowest first.
  mutating func whole(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Appends a number with its sign in the lowest bit, so that numbers near zero are short.
  mutating func signed(_ value: Int64) { whole(UInt64(bitPattern: value << 1 ^ value >> 63)) }

  /// Appends bytes after their count.
  mutating func blob(_ value: some Collection<UInt8>) {
    whole(UInt64(value.count))
    append(value)
  }

  /// Appends a text after the count of its bytes.
  mutating func text(_ value: String) { blob(value.utf8) }

  /// Appends numbers after their count.
  mutating func list(_ values: [Int64]) {
    whole(UInt64(values.count))
    for value in values { signed(value) }
  }
}

extension ByteReader {
  /// Unwraps a value; throws for nil.
  static func known<Value>(_ value: Value?) throws(Malformed) -> Value {
    guard let value else { throw Malformed() }
    return value
  }

  /// Reads the byte of an enumeration's case.
  mutating func code<Value: RawRepresentable<UInt8>>(_ type: Value.Type) throws(Malformed) -> Value {
    try Self.known(Value(rawValue: try read(UInt8.self)))
  }

  /// Reads a number; throws if it has a shorter form.
  mutating func whole() throws(Malformed) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      let byte = try read(UInt8.self)
      guard shift < 63 || byte <= 1 else { throw Malformed() }
      value |= UInt64(byte & 0x7F) << shift
      if byte >= 0x80 { continue }
      guard byte > 0 || shift == 0 else { throw Malformed() }
      return value
    }
    throw Malformed()
  }

  /// Reads a signed number.
  mutating func signed() throws(Malformed) -> Int64 {
    let value = try whole()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// Reads a floating-point number in eight bytes; throws if it is not finite.
  mutating func double() throws(Malformed) -> Double {
    let value = Double(bitPattern: try read(UInt64.self))
    guard value.isFinite else { throw Malformed() }
    return value
  }

  /// Reads bytes after their count.
  mutating func blob() throws(Malformed) -> [UInt8] { try readBytes(Int(clamping: try whole())) }

  /// Reads a text in UTF-8.
  mutating func text() throws(Malformed) -> String { try Self.known(String(validating: try blob(), as: UTF8.self)) }

  /// Reads the count of elements, each of which takes at least a byte.
  mutating func count() throws(Malformed) -> Int {
    let count = Int(clamping: try whole())
    guard count <= remaining else { throw Malformed() }
    return count
  }

  /// Reads numbers, of which there must be at least one.
  mutating func list() throws(Malformed) -> [Int64] {
    let count = try count()
    guard count > 0 else { throw Malformed() }
    var values: [Int64] = []
    values.reserveCapacity(count)
    for _ in 0..<count { values.append(try signed()) }
    return values
  }
}
