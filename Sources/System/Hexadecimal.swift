/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
  private static let lowercase = Array("0123456789abcdef".utf8)
  private static let uppercase = Array("0123456789ABCDEF".utf8)

  /// Two digits for each byte, lower-case unless asked otherwise, as ASCII.
  package static func digits(of bytes: some Sequence<UInt8>, isUppercase: Bool = false) -> [UInt8] {
    // What lies in one piece needs no iterator of its type.
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

  /// The same as text.
  package static func text(of bytes: some Sequence<UInt8>, isUppercase: Bool = false) -> String {
    String(decoding: digits(of: bytes, isUppercase: isUppercase), as: UTF8.self)
  }

  /// The bytes that pairs of lower-case digits stand for; nil if there is anything else.
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
