internal import Crypto

/// One line of advice for a new password that is easy to guess.
enum PasswordAdvice {
  /// The advice for all passwords, printed before the first is asked for: between two, it would seem to be about the
  /// first.
  static let general = "Four or more random words are easy to remember and hard to guess."

  /// A shorter password gets advice: an attacker with a few machines can try all of them.
  static let shortest = 10
  /// A password with fewer different bytes is as weak as a short one.
  static let leastVariety = 6

  /// The advice; nil for a password without an obvious weakness. It depends only on length and variety, so it does not
  /// help an attacker to guess.
  static func advice(for password: Password) -> String? {
    let variety = unsafe password.bytes.withUnsafeBytes { bytes in
      // One bit for each byte value. A `Set` would copy the bytes to the heap.
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
