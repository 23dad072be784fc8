internal import CSodium

/// HMAC-SHA-256 (RFC 2104; libsodium `crypto_auth_hmacsha256`), with which requests to object stores are signed.
package enum MessageCode {
  /// Bytes of a code.
  package static let count = 32

  /// The code of a message. The key has any length.
  package static func sha256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    Sodium.initialize()
    var state = crypto_auth_hmacsha256_state()
    var code = [UInt8](repeating: 0, count: count)
    unsafe crypto_auth_hmacsha256_init(&state, key, key.count)
    unsafe crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
    unsafe crypto_auth_hmacsha256_final(&state, &code)
    unsafe withUnsafeMutableBytes(of: &state) { unsafe Sodium.wipe($0) }
    return code
  }
}
