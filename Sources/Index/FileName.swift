// Invariants
// 1. A name is 1 to 255 bytes, none of them "/" or NUL. Nothing else is asked of it: neither UTF-8 nor any normal form.
// 2. Names are equal when their bytes are. Swift's String finds "é" and "e\u{301}" equal, which are two files; so no String is kept.

internal import System

/// The name of a directory entry: bytes, compared as bytes.
package struct FileName: Hashable, Sendable {
  /// Longest name, in bytes.
  package static let maximumLength = 255

  /// The bytes of the name.
  package let bytes: [UInt8]

  /// Takes a name over; nil when it is empty, too long, or has a "/" or a NUL in it.
  package init?(_ bytes: [UInt8]) {
    guard (1...Self.maximumLength).contains(bytes.count), !bytes.contains(0x2F), !bytes.contains(0) else { return nil }
    self.bytes = bytes
  }

  /// Copies a name; nil when it is empty, too long, or has a "/" or a NUL in it.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard (1...Self.maximumLength).contains(bytes.count) else { return nil }
    self.init(unsafe [UInt8](bytes))
  }

  /// The UTF-8 bytes of a text; nil when they are no name.
  package init?(_ text: String) {
    self.init([UInt8](text.utf8))
  }

  /// Bytes in the name.
  package var count: Int { bytes.count }

  /// Lends the bytes.
  @inline(__always)
  package func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe bytes.span.bytes.withUnsafeBytes { (raw) throws(Failure) in try unsafe body(raw) }
  }
}

extension FileName: CustomStringConvertible {
  /// The name for people: what is not printable UTF-8 is written as \xNN, and a backslash is doubled.
  package var description: String {
    var text = ""
    var parser = Unicode.UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    var start = 0
    while true {
      let length: Int
      switch parser.parseScalar(from: &rest) {
      case .emptyInput: return text
      case .error(let count):
        length = count
        for byte in bytes[start..<start + length] { text += Self.escape(byte) }
      case .valid(let encoded):
        length = encoded.count
        let scalar = Unicode.UTF8.decode(encoded)
        if scalar == "\\" {
          text += "\\\\"
        } else if Self.isPrintable(scalar) {
          text.unicodeScalars.append(scalar)
        } else {
          for byte in bytes[start..<start + length] { text += Self.escape(byte) }
        }
      }
      start += length
    }
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  private static func escape(_ byte: UInt8) -> String { "\\x" + Hexadecimal.text(of: [byte], isUppercase: true) }
}
