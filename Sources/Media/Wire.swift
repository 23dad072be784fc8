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
  /// A `WireFailure`.
  case failed = 20

  /// Bytes before every message.
  package static let headerBytes = 8
  /// Most bytes of the file in one request.
  package static let mostReadBytes = 1 << 20
  /// Most bytes of any message.
  package static let mostBytes = 8 << 20
}

/// A message of the peer breaks the protocol.
package struct WireError: Error {
  package init() {}
}

/// Builds the bytes of a message.
package struct WireWriter {
  /// The bytes written so far.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Appends a number, little-endian.
  package mutating func number<T: FixedWidthInteger>(_ value: T) {
    for shift in stride(from: 0, to: T.bitWidth, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  /// Appends whether there is a value, and the value.
  package mutating func optional<T>(_ value: T?, _ write: (inout WireWriter, T) -> Void) {
    number(UInt8(value == nil ? 0 : 1))
    if let value { write(&self, value) }
  }

  /// Appends a floating-point number.
  package mutating func real(_ value: Double) { number(value.bitPattern) }

  /// Appends a length and that many bytes.
  package mutating func blob(_ value: some Collection<UInt8>) {
    number(UInt32(value.count))
    bytes.append(contentsOf: value)
  }
}

/// Decodes a message; missing or extra bytes are an error.
package struct WireReader {
  private var rest: ArraySlice<UInt8>

  package init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Reads a number.
  package mutating func number<T: FixedWidthInteger>(_: T.Type) throws(WireError) -> T {
    let count = T.bitWidth / 8
    guard rest.count >= count else { throw WireError() }
    var value: T = 0
    for (index, byte) in rest.prefix(count).enumerated() { value |= T(truncatingIfNeeded: UInt64(byte) << (8 * index)) }
    rest = rest.dropFirst(count)
    return value
  }

  /// Reads a flag of one byte, 0 or 1.
  package mutating func flag() throws(WireError) -> Bool {
    switch try number(UInt8.self) {
    case 0: return false
    case 1: return true
    default: throw WireError()
    }
  }

  /// Reads a floating-point number, which must be finite.
  package mutating func real() throws(WireError) -> Double {
    let value = Double(bitPattern: try number(UInt64.self))
    guard value.isFinite else { throw WireError() }
    return value
  }

  /// Reads a length and that many bytes.
  package mutating func blob(most: Int) throws(WireError) -> [UInt8] {
    let count = Int(try number(UInt32.self))
    guard count <= most, count <= rest.count else { throw WireError() }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Reads a text.
  package mutating func text(most: Int) throws(WireError) -> String {
    guard let text = String(validating: try blob(most: most), as: UTF8.self) else { throw WireError() }
    return text
  }

  /// Throws if bytes are left.
  package func finish() throws(WireError) {
    guard rest.isEmpty else { throw WireError() }
  }
}
