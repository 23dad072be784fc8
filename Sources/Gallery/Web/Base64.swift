/// Base64 (RFC 4648): written with the alphabet for URLs and without padding, read with both alphabets.
public enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The text of some bytes. `isStandard`: with `+`, `/` and padding, as HTTP has it.
  public static func text(of bytes: [UInt8], isStandard: Bool = false) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      var bits = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      bits <<= UInt32(3 - part.count) * 8
      for place in 0...part.count { text.append(alphabet[Int(bits >> UInt32(18 - 6 * place) & 63)]) }
      if isStandard { text += [UInt8](repeating: UInt8(ascii: "="), count: 3 - part.count) }
    }
    if isStandard {
      text = text.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text; nil if it is none.
  public static func bytes(of text: some StringProtocol) -> [UInt8]? {
    var digits = Array(text.utf8)
    let count = digits.count
    while digits.last == UInt8(ascii: "="), count - digits.count < 2 { digits.removeLast() }
    guard count == digits.count || count % 4 == 0, digits.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    for (place, digit) in digits.enumerated() {
      guard let value = value(of: digit) else { return nil }
      bits = bits << 6 | value
      if place % 4 == 3 {
        bytes += [UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8), UInt8(bits & 255)]
        bits = 0
      }
    }
    switch digits.count % 4 {
    case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
    case 3: bytes += [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
    default: break
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a") + 26)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0") + 52)
    case UInt8(ascii: "-"), UInt8(ascii: "+"): 62
    case UInt8(ascii: "_"), UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
