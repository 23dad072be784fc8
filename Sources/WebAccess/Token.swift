internal import System

/// A secret of 128 random bits as 32 hexadecimal digits, for a cookie or the address of a pairing.
public struct Token: Hashable, Sendable {
  /// The digits.
  public let text: String

  /// A new token from the kernel's random numbers.
  public static func random() -> Token {
    Token(bytes: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
  }

  /// The token with these digits. Nil for anything but 32 digits in lower case.
  public init?(text: String) {
    let digits = Array(text.utf8)
    guard digits.count == 32, digits.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else {
      return nil
    }
    self.text = text
  }

  /// Whether a text has these digits. The time of the comparison does not depend on the number of matching digits.
  public func matches(_ other: String) -> Bool {
    let (own, given) = (Array(text.utf8), Array(other.utf8))
    guard own.count == given.count else { return false }
    return zip(own, given).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private init(bytes: [UInt8]) { text = Hexadecimal.text(of: bytes) }
}
