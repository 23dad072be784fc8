internal import Crypto

/// One line for who sets a password that is easily guessed.
enum PasswordAdvice {
  /// Shorter passwords are tried in full by whoever holds the vault and some machines.
  static let shortest = 10
  /// Fewer different bytes are no better than a short password.
  static let leastVariety = 6

  /// The advice, or nil for a password that shows no weakness. It depends on length and variety only; it says nothing
  /// that helps to guess.
  static func advice(for password: Password) -> String? {
    let variety = unsafe password.bytes.withUnsafeBytes { bytes in
      // A bit for each byte that occurs; a set would keep the bytes somewhere on the heap.
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
