internal import CSodium

/// Keyed BLAKE2b (RFC 7693; libsodium `crypto_generichash`): the only hash and, below the password, the only key
/// derivation.
package enum KeyedHash {
  /// Derives a subkey of `count` bytes (16 to 64): BLAKE2b with `key` over the ASCII bytes of `context`, then `data`.
  package static func subkey(of key: SecretBytes, context: String, data: [UInt8] = [], count: Int = 32) -> SecretBytes {
    unsafe SecretBytes(count: count) { output in unsafe hash(key: key, context: context, data: data, into: output) }
  }

  /// A public value of `count` bytes: BLAKE2b with `key` over the ASCII bytes of `context`, then `data`.
  package static func identifier(of key: SecretBytes, context: String, data: [UInt8], count: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    unsafe result.withUnsafeMutableBytes { output in unsafe hash(key: key, context: context, data: data, into: output) }
    return result
  }

  /// Writes `output.count` bytes of BLAKE2b with `key` over the ASCII bytes of `context`, then `data`.
  package static func hash(
    key: SecretBytes, context: String, data: [UInt8], into output: UnsafeMutableRawBufferPointer
  ) {
    Sodium.initialize()
    let message = Array(context.utf8) + data
    unsafe key.withUnsafeBytes { key in
      let status = unsafe crypto_generichash(
        output.bytes, output.count, message, UInt64(message.count), key.bytes, key.count)
      precondition(status == 0, "BLAKE2b refused its parameters")
    }
  }
}
