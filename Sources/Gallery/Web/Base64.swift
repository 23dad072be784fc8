internal import CSodium

/// Base64 (RFC 4648): written in the alphabet for URLs without padding, read in both alphabets.
public enum Base64 {
  /// Encodes bytes. `isStandard`: with `+`, `/` and padding, as HTTP requires.
  public static func text(of bytes: [UInt8], isStandard: Bool = false) -> String {
    let variant = isStandard ? sodium_base64_VARIANT_ORIGINAL : sodium_base64_VARIANT_URLSAFE_NO_PADDING
    var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
    unsafe sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
    // Drops the zero at the end.
    return String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Decodes a text; nil if it is invalid.
  public static func bytes(of text: some StringProtocol) -> [UInt8]? {
    var digits = text.utf8.map { byte -> CChar in
      switch byte {
      case UInt8(ascii: "+"): CChar(UInt8(ascii: "-"))
      case UInt8(ascii: "/"): CChar(UInt8(ascii: "_"))
      default: CChar(bitPattern: byte)
      }
    }
    let count = digits.count
    while digits.last == CChar(UInt8(ascii: "=")), count - digits.count < 2 { digits.removeLast() }
    guard count == digits.count || count % 4 == 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: count + 1)
    var length = 0
    let status = unsafe sodium_base642bin(
      &bytes, bytes.count, digits, digits.count, nil, &length, nil, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
    return status == 0 ? Array(bytes[..<length]) : nil
  }
}
