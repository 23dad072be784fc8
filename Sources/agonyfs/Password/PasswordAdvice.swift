internal import Crypto

/// One line of advice for a new password that is easy to guess.
enum PasswordAdvice {
  /// The advice that any password gets.
  static let general = "Four or more random words are easy to remember and hard to guess."

  /// An attacker with some machines can try all shorter passwords.
  static let shortest = 10
  /// A password with fewer different bytes is no better than a short one.
  static let leastVariety = 6

  /// The advice; nil for a password without an obvious weakness. It depends only on length and variety and does not
  /// help to guess.
  static func advice(for password: Password) -> String? {
    let variety = unsafe password.bytes.withUnsafeBytes { bytes in
      // A bit for each byte that occurs. A set would copy the bytes to the heap.
      var seen = SIMD4<UInt64>()
      for index in bytes.indices {
        let byte = unsafe bytes[index]
        seen[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
      }
      return seen.indices.reduce(0) { $0 + seen[$1].nonzeroBitCount }
    }
    guard password.bytes.count < shortest || variety < leastVariety else { return nil }
    return "This password is weak; four or more random words are easy to remember and hard to guess."
  }
}
