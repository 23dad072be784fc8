internal import System

/// The messages between the daemon and its decoder. Each is its kind and its length, 4 bytes each, then its bytes. All
/// numbers are little-endian. Both ends come from one build, so there is no version.
package enum WireMessage: UInt32, Sendable {
  // What the daemon sends.
  /// A `DeriveRequest`.
  case derive = 1
  /// A `PNGRequest`.
  case png = 2
  /// The answer to `read`: one byte, 0, or 1 for a failure, then the bytes.
  case input = 3
  // What the decoder sends.
  /// Its confinement, once, before the first job: the version of Landlock's interface (0 for none), and whether calls
  /// are filtered.
  case hello = 16
  /// Asks for a piece of the file: offset, 8 bytes, and count, 4 bytes.
  case read = 17
  /// Encoded `Derivatives`.
  case derived = 18
  /// The bytes of a PNG.
  case pngMade = 19
  /// An encoded `DecoderError`.
  case failed = 20

  /// Bytes before every message.
  package static let headerBytes = 8
  /// Most bytes of the file in one request.
  package static let mostReadBytes = 1 << 20
  /// Most bytes of any message.
  package static let mostBytes = 8 << 20
}

// What messages hold beside numbers and bytes. A message that breaks the protocol is `ByteReader.Malformed`.

extension ByteWriter {
  /// Appends whether there is a value, and the value.
  mutating func optional<T>(_ value: T?, _ write: (inout ByteWriter, T) -> Void) {
    append(UInt8(value == nil ? 0 : 1))
    if let value { write(&self, value) }
  }

  /// Appends a floating-point number.
  mutating func real(_ value: Double) { append(value.bitPattern) }

  /// Appends a length and that many bytes.
  mutating func blob(_ value: some Collection<UInt8>) {
    append(UInt32(value.count))
    append(value)
  }
}

extension ByteReader {
  /// Reads a flag of one byte, 0 or 1.
  mutating func flag() throws(Malformed) -> Bool {
    switch try read(UInt8.self) {
    case 0: return false
    case 1: return true
    default: throw Malformed()
    }
  }

  /// Reads a floating-point number, which must be finite.
  mutating func real() throws(Malformed) -> Double {
    let value = Double(bitPattern: try read(UInt64.self))
    guard value.isFinite else { throw Malformed() }
    return value
  }

  /// Reads a length and that many bytes.
  mutating func blob(most: Int) throws(Malformed) -> [UInt8] {
    let count = Int(try read(UInt32.self))
    guard count <= most else { throw Malformed() }
    return try readBytes(count)
  }

  /// Reads a text.
  mutating func text(most: Int) throws(Malformed) -> String {
    guard let text = String(validating: try blob(most: most), as: UTF8.self) else { throw Malformed() }
    return text
  }
}
