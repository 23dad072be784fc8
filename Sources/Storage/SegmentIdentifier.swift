/// The name of a segment file: 16 bytes that look random, written as 32 lower-case hexadecimal digits.
package struct SegmentIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// Bytes of an identifier.
  package static let size = 16
  private let high: UInt64
  private let low: UInt64

  /// Takes exactly 16 bytes.
  package init(bytes: [UInt8]) {
    precondition(bytes.count == Self.size)
    high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Parses a file name; nil unless it is 32 lower-case hexadecimal digits.
  package init?(name: some Sequence<UInt8>) {
    var bytes: [UInt8] = []
    var pending: UInt8?
    for character in name {
      let digit: UInt8
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
      default: return nil
      }
      if let first = pending {
        bytes.append(first << 4 | digit)
        pending = nil
      } else {
        pending = digit
      }
      if bytes.count > Self.size { return nil }
    }
    guard bytes.count == Self.size, pending == nil else { return nil }
    self.init(bytes: bytes)
  }

  /// The 16 bytes.
  package var bytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: high >> (56 - 8 * UInt64($0))) }
      + (0..<8).map { UInt8(truncatingIfNeeded: low >> (56 - 8 * UInt64($0))) }
  }

  /// The folder of the file, 0 to 255: the identifier's first byte.
  package var folder: Int { Int(high >> 56) }

  /// The file name.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    var name: [UInt8] = []
    for byte in bytes {
      name.append(digits[Int(byte >> 4)])
      name.append(digits[Int(byte & 15)])
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// The path below `segments/`: two digits, a slash, the file name.
  package var path: String {
    let name = description
    return name.prefix(2) + "/" + name
  }
}
