/// Base 64 (RFC 4648, section 4), in which headers hold hashes.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        text.append(place <= group.count ? alphabet[value >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text with exactly `count` bytes; nil for any other text.
  static func bytes(of text: String, count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (value, bits) = (0, 0)
    for digit in text.utf8.prefix(while: { $0 != UInt8(ascii: "=") }) {
      guard let place = alphabet.firstIndex(of: digit) else { return nil }
      value = (value << 6 | place) & 0xffff
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: value >> bits))
      }
    }
    return bytes.count == count && Self.text(of: bytes) == text ? bytes : nil
  }
}
