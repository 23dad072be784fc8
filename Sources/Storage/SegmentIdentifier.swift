internal import System

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
    guard let bytes = Hexadecimal.bytes(of: name), bytes.count == Self.size else { return nil }
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
  package var description: String { Hexadecimal.text(of: bytes) }

  /// The path below `segments/`: two digits, a slash, the file name.
  package var path: String {
    let name = description
    return name.prefix(2) + "/" + name
  }
}
