package import Crypto

// Secrets of tests, which need no protection.

extension Password {
  /// The UTF-8 bytes of a text.
  package static func of(_ text: String) -> Password {
    unsafe [UInt8](text.utf8).withUnsafeBytes { unsafe Password(copying: $0) }
  }
}

extension SecretBytes {
  /// A copy of some bytes.
  package convenience init(_ bytes: [UInt8]) {
    unsafe self.init(count: bytes.count) { buffer in unsafe buffer.copyBytes(from: bytes) }
  }

  /// The bytes, for comparing.
  package var copied: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
