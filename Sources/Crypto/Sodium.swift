internal import CSodium

/// libsodium, initialised once before its first use.
package enum Sodium {
  private static let initialized: Bool = sodium_init() >= 0

  /// Initialises libsodium; ends the process if the system lacks a usable source of random bytes.
  package static func initialize() {
    guard initialized else { fatalError("libsodium could not be initialised: the system gives no random bytes.") }
  }

  /// Fills `buffer` with random bytes of the system's generator (`randombytes_buf`).
  package static func fillRandom(_ buffer: UnsafeMutableRawBufferPointer) {
    initialize()
    unsafe randombytes_buf(buffer.bytes, buffer.count)
  }

  /// `count` random bytes of the system's generator.
  package static func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    unsafe bytes.withUnsafeMutableBytes { buffer in unsafe fillRandom(buffer) }
    return bytes
  }

  /// Fills `buffer`, of any size, with bytes that look random, for padding and cover: a ChaCha20 stream under a fresh
  /// random key, several times as fast as the system's generator.
  package static func fillPadding(_ buffer: UnsafeMutableRawBufferPointer) {
    unsafe fillStream(buffer, key: SecretBytes.random(count: Int(randombytes_SEEDBYTES)))
  }

  /// Fills `buffer` with the ChaCha20 stream of a key of 32 bytes (RFC 8439 from block 0, with the 12 ASCII bytes
  /// "LibsodiumDRG" as nonce: `randombytes_buf_deterministic`).
  package static func fillStream(_ buffer: UnsafeMutableRawBufferPointer, key: SecretBytes) {
    unsafe key.withUnsafeBytes { key in
      precondition(key.count == Int(randombytes_SEEDBYTES))
      unsafe randombytes_buf_deterministic(buffer.bytes, buffer.count, key.bytes)
    }
  }

  /// Zeroes `buffer` so that no compiler removes it (`sodium_memzero`).
  package static func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
    unsafe sodium_memzero(buffer.bytes, buffer.count)
  }
}
