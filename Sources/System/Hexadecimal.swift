/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
  /// Two digits for each byte, lower-case unless asked otherwise, as ASCII.
  package static func digits(of bytes: some Sequence<UInt8>, isUppercase: Bool = false) -> [UInt8] {
    bytes.flatMap { byte in
      [byte >> 4, byte & 15].map { value in
        switch value {
        case ..<10: UInt8(ascii: "0") + value
        case _ where isUppercase: UInt8(ascii: "A") + value - 10
        default: UInt8(ascii: "a") + value - 10
        }
      }
    }
  }

  /// The same as text.
  package static func text(of bytes: some Sequence<UInt8>, isUppercase: Bool = false) -> String {
    String(decoding: digits(of: bytes, isUppercase: isUppercase), as: UTF8.self)
  }

  /// The bytes that pairs of lower-case digits stand for; nil if there is anything else.
  package static func bytes(of digits: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in digits {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      default: return nil
      }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return high == nil ? bytes : nil
  }
}
