/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
  private static let lowercase = Array("0123456789abcdef".utf8)
  private static let uppercase = Array("0123456789ABCDEF".utf8)

  /// Two digits for each byte, as ASCII, lower-case unless `isUppercase` is set.
  package static func digits(of bytes: some Sequence<UInt8>, isUppercase: Bool = false) -> [UInt8] {
    // Contiguous bytes need no iterator of their type.
    bytes.withContiguousStorageIfAvailable { unsafe digits(of: $0, isUppercase) }
      ?? digits(of: Array(bytes), isUppercase: isUppercase)
  }

  private static func digits(of bytes: UnsafeBufferPointer<UInt8>, _ isUppercase: Bool) -> [UInt8] {
    let digits = isUppercase ? uppercase : lowercase
    var text = [UInt8](repeating: 0, count: 2 * bytes.count)
    for place in 0..<bytes.count {
      let byte = unsafe bytes[place]
      text[2 * place] = digits[Int(byte >> 4)]
      text[2 * place + 1] = digits[Int(byte & 15)]
    }
    return text
  }

  /// Two digits for each byte, as text.
  package static func text(of bytes: some Sequence<UInt8>, isUppercase: Bool = false) -> String {
    String(decoding: digits(of: bytes, isUppercase: isUppercase), as: UTF8.self)
  }

  /// The value of a digit in either case; nil for any other character.
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Bytes as in a URI: every byte except ASCII letters, digits and those of `plain` becomes a percent sign and two
  /// upper-case digits.
  package static func percentEscaped(_ bytes: [UInt8], besides plain: String) -> [UInt8] {
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(plain)".utf8)
    return bytes.flatMap { byte -> [UInt8] in
      plain.contains(byte) ? [byte] : [UInt8(ascii: "%")] + digits(of: [byte], isUppercase: true)
    }
  }

  /// The bytes of a text with such escapes. An invalid escape represents itself if `isLenient`; otherwise the result is
  /// nil.
  package static func percentUnescaped(_ text: some Sequence<UInt8>, isLenient: Bool = false) -> [UInt8]? {
    let text = Array(text)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var place = 0
    while place < text.count {
      if text[place] == UInt8(ascii: "%") {
        if place + 2 < text.count, let high = value(of: text[place + 1]), let low = value(of: text[place + 2]) {
          bytes.append(high << 4 | low)
          place += 3
          continue
        }
        if !isLenient { return nil }
      }
      bytes.append(text[place])
      place += 1
    }
    return bytes
  }

  /// The bytes that pairs of lower-case digits represent; nil if there is anything else.
  package static func bytes(of digits: some Sequence<UInt8>) -> [UInt8]? {
    let values = digits.map { lowercase.firstIndex(of: $0) }
    guard values.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: values.count, by: 2) {
      guard let high = values[index], let low = values[index + 1] else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}
