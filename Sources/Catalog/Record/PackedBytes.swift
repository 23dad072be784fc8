// Values in few bytes.

/// Writes values in few bytes.
package struct PackedWriter {
  package var bytes: [UInt8] = []
  /// Nothing written yet.
  package init() {}

  /// A number in groups of seven bits, the lowest first.
  package mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// A number with its sign in the lowest bit.
  package mutating func signed(_ value: Int64) { number(UInt64(bitPattern: value << 1 ^ value >> 63)) }

  /// A floating-point number.
  package mutating func real(_ value: Double) {
    var bits = value.bitPattern
    for _ in 0..<8 {
      bytes.append(UInt8(truncatingIfNeeded: bits))
      bits >>= 8
    }
  }

  /// Bytes after their count.
  package mutating func blob(_ value: some Collection<UInt8>) {
    number(UInt64(value.count))
    bytes += value
  }

  /// A text after the count of its bytes.
  package mutating func text(_ value: String) { blob(value.utf8) }

  /// Numbers after their count.
  package mutating func list(_ values: [Int64]) {
    number(UInt64(values.count))
    for value in values { signed(value) }
  }
}

/// Reads them. Nil for everything that cannot be.
package struct PackedReader {
  private let bytes: [UInt8]
  private var place = 0

  /// At the first byte.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether nothing is left.
  package var isAtEnd: Bool { place == bytes.count }

  /// The next byte.
  package mutating func byte() -> UInt8? {
    guard place < bytes.count else { return nil }
    defer { place += 1 }
    return bytes[place]
  }

  /// A number; nil also if it could be shorter.
  package mutating func number() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = byte() else { return nil }
      if shift == 63, byte > 1 { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return byte == 0 && shift > 0 ? nil : value }
    }
    return nil
  }

  /// A number with a sign.
  package mutating func signed() -> Int64? {
    number().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  /// A floating-point number that is finite.
  package mutating func real() -> Double? {
    guard bytes.count - place >= 8 else { return nil }
    var bits: UInt64 = 0
    for index in (0..<8).reversed() { bits = bits << 8 | UInt64(bytes[place + index]) }
    place += 8
    let value = Double(bitPattern: bits)
    return value.isFinite ? value : nil
  }

  /// Bytes.
  package mutating func blob() -> [UInt8]? {
    guard let count = number(), count <= bytes.count - place else { return nil }
    defer { place += Int(count) }
    return Array(bytes[place..<place + Int(count)])
  }

  /// A text in UTF-8.
  package mutating func text() -> String? { blob().flatMap { String(validating: $0, as: UTF8.self) } }

  /// Numbers.
  package mutating func list() -> [Int64]? {
    guard let count = number(), count <= bytes.count - place else { return nil }
    var values: [Int64] = []
    values.reserveCapacity(Int(count))
    for _ in 0..<count {
      guard let value = signed() else { return nil }
      values.append(value)
    }
    return values
  }
}
