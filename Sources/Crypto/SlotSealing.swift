internal import CSodium

/// XChaCha20-Poly1305 with a random nonce, for the few bytes that a password opens. The nonce is random because a
/// password that is removed and used again yields the same key.
package enum SlotSealing {
  /// Bytes that sealing adds: a 24-byte nonce before, a 16-byte tag after.
  package static let overhead = 40
  private static let nonceSize = 24

  /// Nonce, ciphertext and tag of `plaintext`.
  package static func seal(_ plaintext: SecretBytes, key: SecretBytes, associatedData: [UInt8]) -> [UInt8] {
    let nonce = Sodium.randomBytes(nonceSize)
    var sealed = [UInt8](repeating: 0, count: plaintext.count + 16)
    var length: UInt64 = 0
    unsafe plaintext.withUnsafeBytes { plaintext in
      unsafe key.withUnsafeBytes { key in
        let status = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
          &sealed, &length, plaintext.bytes, UInt64(plaintext.count),
          associatedData, UInt64(associatedData.count), nil, nonce,
          key.bytes)
        precondition(status == 0)
      }
    }
    return nonce + sealed
  }

  /// The plaintext of a result of `seal`; nil if it does not authenticate.
  package static func open(_ sealed: [UInt8], key: SecretBytes, associatedData: [UInt8]) -> SecretBytes? {
    guard sealed.count >= overhead else { return nil }
    Sodium.initialize()
    let nonce = Array(sealed[..<nonceSize])
    let ciphertext = Array(sealed[nonceSize...])
    var succeeded = false
    let plaintext = unsafe SecretBytes(count: ciphertext.count - 16) { output in
      var length: UInt64 = 0
      succeeded = unsafe key.withUnsafeBytes { key in
        unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
          output.baseAddress?.assumingMemoryBound(to: UInt8.self), &length, nil, ciphertext, UInt64(ciphertext.count),
          associatedData, UInt64(associatedData.count), nonce,
          key.bytes) == 0
      }
    }
    return succeeded ? plaintext : nil
  }
}
