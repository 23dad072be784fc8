internal import CSodium

/// Keyed BLAKE2b over a stream of bytes. Its state, which includes the key, is in locked memory.
@safe package struct KeyedHasher: ~Copyable {
  private let state: UnsafeMutableRawPointer
  private let count: Int

  /// Begins a hash of `count` bytes (16 to 64).
  package init(key: SecretBytes, count: Int) {
    Sodium.initialize()
    self.count = count
    // sodium_malloc's memory ends at the end of a page; a multiple of 64 bytes gives the state its alignment.
    let size = (crypto_generichash_statebytes() + 63) / 64 * 64
    guard let memory = unsafe sodium_malloc(size) else { fatalError("no locked memory") }
    unsafe state = memory
    unsafe key.withUnsafeBytes { bytes in
      let status = unsafe crypto_generichash_init(
        OpaquePointer(memory), bytes.bytes, bytes.count, count)
      precondition(status == 0, "BLAKE2b refused its parameters")
    }
  }

  deinit { unsafe sodium_free(state) }

  /// Adds bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe crypto_generichash_update(OpaquePointer(state), bytes.bytes, UInt64(bytes.count))
  }

  /// The hash; nothing can be added afterwards.
  package consuming func finish() -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    unsafe crypto_generichash_final(OpaquePointer(state), &result, count)
    return result
  }
}
