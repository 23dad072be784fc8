// Values in few bytes, for what is stored of photos: whole numbers in groups of seven bits, the lowest first; texts, bytes
// and lists after their count.

internal import System

extension ByteWriter {
  /// A number in groups of seven bits, the lowest first.
  mutating func whole(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// A number with its sign in the lowest bit: those near zero are short.
  mutating func signed(_ value: Int64) { whole(UInt64(bitPattern: value << 1 ^ value >> 63)) }

  /// Bytes after their count.
  mutating func blob(_ value: some Collection<UInt8>) {
    whole(UInt64(value.count))
    append(value)
  }

  /// A text after the count of its bytes.
  mutating func text(_ value: String) { blob(value.utf8) }

  /// Numbers after their count.
  mutating func list(_ values: [Int64]) {
    whole(UInt64(values.count))
    for value in values { signed(value) }
  }
}

extension ByteReader {
  /// What is known; throws for nil.
  static func known<Value>(_ value: Value?) throws(Malformed) -> Value {
    guard let value else { throw Malformed() }
    return value
  }

  /// A byte that stands for a case.
  mutating func code<Value: RawRepresentable<UInt8>>(_ type: Value.Type) throws(Malformed) -> Value {
    try Self.known(Value(rawValue: try read(UInt8.self)))
  }

  /// A number; throws also if it could be shorter.
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

  /// A number with a sign.
  mutating func signed() throws(Malformed) -> Int64 {
    let value = try whole()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// A floating-point number in its eight bytes; throws if it is not finite.
  mutating func double() throws(Malformed) -> Double {
    let value = Double(bitPattern: try read(UInt64.self))
    guard value.isFinite else { throw Malformed() }
    return value
  }

  /// Bytes.
  mutating func blob() throws(Malformed) -> [UInt8] { try readBytes(Int(clamping: try whole())) }

  /// A text in UTF-8.
  mutating func text() throws(Malformed) -> String { try Self.known(String(validating: try blob(), as: UTF8.self)) }

  /// The count of what follows, each of which has a byte at least.
  mutating func count() throws(Malformed) -> Int {
    let count = Int(clamping: try whole())
    guard count <= remaining else { throw Malformed() }
    return count
  }

  /// Numbers, of which there is one at least.
  mutating func list() throws(Malformed) -> [Int64] {
    let count = try count()
    guard count > 0 else { throw Malformed() }
    var values: [Int64] = []
    values.reserveCapacity(count)
    for _ in 0..<count { values.append(try signed()) }
    return values
  }
}
