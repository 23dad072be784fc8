// Invariants
// 1. A name is 1 to 255 bytes without "/" and NUL. It need not be UTF-8, nor in any normal form. `incoming` is the only
//    exception: no program can make or find it by its name.
// 2. Names are equal when their bytes are equal. They are not kept as String: Swift finds "é" and "e\u{301}" equal, but
//    they are two files.

internal import System

/// The name of a directory entry: bytes, compared as bytes.
package struct FileName: Hashable, Sendable {
  /// The longest name, in bytes.
  package static let maximumLength = 255

  /// The name, in the root directory, of the directory of incomplete files. No listing shows it.
  package static let incoming = FileName(incoming: Array("/incoming".utf8))

  /// The bytes of the name.
  package let bytes: [UInt8]

  /// Takes the bytes of a name; nil when it is empty, too long, or contains "/" or NUL, unless it is that of
  /// `incoming`.
  package init?(_ bytes: [UInt8]) {
    guard (1...Self.maximumLength).contains(bytes.count), !bytes.contains(0) else { return nil }
    guard !bytes.contains(0x2F) || bytes == Self.incoming.bytes else { return nil }
    self.bytes = bytes
  }

  private init(incoming bytes: [UInt8]) { self.bytes = bytes }

  /// Copies the bytes of a name; nil when it is empty, too long, or contains "/" or NUL.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard (1...Self.maximumLength).contains(bytes.count) else { return nil }
    self.init(unsafe [UInt8](bytes))
  }

  /// Takes the UTF-8 bytes of a text; nil when they are not a valid name.
  package init?(_ text: String) {
    self.init([UInt8](text.utf8))
  }

  /// Whether listings show the name.
  package var isListed: Bool { bytes.first != 0x2F }

  /// The number of bytes.
  package var count: Int { bytes.count }
}

extension FileName: CustomStringConvertible {
  /// The name for messages: bytes that are not printable UTF-8 become \xNN, and backslashes are doubled.
  package var description: String {
    var text = ""
    var parser = Unicode.UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    var start = 0
    while true {
      let length: Int
      var scalar: Unicode.Scalar?
      switch parser.parseScalar(from: &rest) {
      case .emptyInput: return text
      case .error(let count): length = count
      case .valid(let encoded):
        length = encoded.count
        scalar = Unicode.UTF8.decode(encoded)
      }
      if scalar == "\\" {
        text += "\\\\"
      } else if let scalar, Self.isPrintable(scalar) {
        text.unicodeScalars.append(scalar)
      } else {
        for byte in bytes[start..<start + length] { text += Self.escape(byte) }
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
