/// Text that represents any bytes, for interfaces that take only text, such as the parser of arguments. UTF-8
/// represents itself. Each other byte is the character U+10FF00 + byte, of the second private use plane, and so is each
/// byte of a character of that range. So different bytes are different texts.
package enum ByteText {
  private static let first: UInt32 = 0x10FF00

  /// The text of bytes.
  package static func text(of bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self), !isCoded(text) { return text }
    var text = ""
    var rest = bytes[...]
    while let byte = rest.first {
      // The length of the character according to its first byte.
      let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      if let character = String(validating: rest.prefix(length), as: UTF8.self), character.unicodeScalars.count == 1,
        !isCoded(character)
      {
        text += character
        rest = rest.dropFirst(length)
      } else {
        text.unicodeScalars.append(Unicode.Scalar(first + UInt32(byte)) ?? "?")
        rest = rest.dropFirst()
      }
    }
    return text
  }

  /// The bytes that a text represents.
  package static func bytes(of text: String) -> [UInt8] {
    guard isCoded(text) else { return Array(text.utf8) }
    return text.unicodeScalars.flatMap { scalar in
      scalar.value >= first ? [UInt8(truncatingIfNeeded: scalar.value - first)] : Array(UTF8.encode(scalar) ?? .init())
    }
  }

  /// Whether a text represents bytes other than its own.
  package static func isCoded(_ text: String) -> Bool { text.unicodeScalars.contains { $0.value >= first } }
}
