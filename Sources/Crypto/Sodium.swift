internal import CSodium

/// libsodium, initialised once before its first use.
package enum Sodium {
  private static let initialized: Bool = sodium_init() >= 0

  /// Initialises libsodium; ends the process if the system has no usable source of random bytes.
  package static func initialize() {
    guard initialized else { fatalError("libsodium could not be initialised: the system gives no random bytes.") }
  }

  /// Fills `buffer` with random bytes of the system's generator (`randombytes_buf`).
  package static func fillRandom(_ buffer: UnsafeMutableRawBufferPointer) {
    initialize()
    guard let base = buffer.baseAddress else { return }
    unsafe randombytes_buf(base, buffer.count)
  }

  /// `count` random bytes of the system's generator.
  package static func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    unsafe bytes.withUnsafeMutableBytes { buffer in unsafe fillRandom(buffer) }
    return bytes
  }

  /// Fills `buffer`, of any size, with bytes that look random, for padding and cover: a ChaCha20 stream under a fresh
  /// random key (`randombytes_buf_deterministic`), several times as fast as the system's generator.
  package static func fillPadding(_ buffer: UnsafeMutableRawBufferPointer) {
    initialize()
    guard let base = buffer.baseAddress, unsafe !buffer.isEmpty else { return }
    let seed = unsafe SecretBytes(count: Int(randombytes_SEEDBYTES)) { bytes in unsafe fillRandom(bytes) }
    unsafe seed.withUnsafeBytes { key in
      guard let keyBase = key.baseAddress else { return }
      unsafe randombytes_buf_deterministic(base, buffer.count, keyBase.assumingMemoryBound(to: UInt8.self))
    }
  }

  /// Zeroes `buffer` in a way that no compiler removes (`sodium_memzero`).
  package static func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let base = buffer.baseAddress else { return }
    unsafe sodium_memzero(base, buffer.count)
  }
}
