// Invariants
// 1. A nonce is the byte offset of the sealed blob in its segment, little-endian, padded with zeros to the suite's
//    length. A key belongs to one segment (it is derived from the segment's random salt), and each offset of a segment
//    is sealed only once. So no nonce repeats under a key. The log guarantees this; it cannot be checked here.
// 2. Keys and their schedules live in locked memory: keys as `SecretBytes`, and OpenSSL allocates from LockedMemory.

internal import COpenSSL
internal import CSodium
internal import Synchronization

/// The key of one segment, in locked memory.
package final class SealingKey: Sendable {
  private static let counter = Atomic<UInt64>(1)
  private let key: SecretBytes
  /// Shows a context whether it already has the key's schedule.
  private let identity: UInt64
  /// The cipher for which the key is used.
  package let suite: CipherSuite

  /// A key of 32 bytes.
  package init(suite: CipherSuite, key: SecretBytes) {
    precondition(key.count == CipherSuite.keySize)
    self.key = key
    identity = Self.counter.add(1, ordering: .relaxed).oldValue
    self.suite = suite
  }

  /// Seals `plaintext` into `sealed`, which is 16 bytes longer: ciphertext, then tag.
  ///
  /// - Parameters:
  ///   - offset: byte offset of the blob in its segment; the nonce.
  ///   - kind: the kind of the blob; the associated data.
  package func seal(
    _ plaintext: UnsafeRawBufferPointer, at offset: UInt64, kind: UInt8,
    into sealed: UnsafeMutableRawBufferPointer, _ context: borrowing SealingContext
  ) {
    precondition(sealed.count == plaintext.count + CipherSuite.tagSize)
    switch suite {
    case .aes256gcm: unsafe context.sealAES(plaintext, at: offset, kind: kind, into: sealed, key, identity)
    case .xchacha20poly1305:
      var kind = kind
      var length: UInt64 = 0
      let status = unsafe withUnsafeBytes(of: (offset.littleEndian, 0 as UInt64, 0 as UInt64)) { nonce in
        unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
          sealed.bytes, &length,
          plaintext.bytes, UInt64(plaintext.count), &kind, 1, nil,
          nonce.bytes, key.base.assumingMemoryBound(to: UInt8.self))
      }
      precondition(status == 0)
    }
  }

  /// Opens a result of `seal`. False if it does not authenticate; `plaintext` is then useless.
  package func open(
    _ sealed: UnsafeRawBufferPointer, at offset: UInt64, kind: UInt8,
    into plaintext: UnsafeMutableRawBufferPointer, _ context: borrowing SealingContext
  ) -> Bool {
    guard sealed.count == plaintext.count + CipherSuite.tagSize else { return false }
    switch suite {
    case .aes256gcm: return unsafe context.openAES(sealed, at: offset, kind: kind, into: plaintext, key, identity)
    case .xchacha20poly1305:
      var kind = kind
      var length: UInt64 = 0
      return unsafe withUnsafeBytes(of: (offset.littleEndian, 0 as UInt64, 0 as UInt64)) { nonce in
        unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
          plaintext.bytes, &length, nil,
          sealed.bytes, UInt64(sealed.count), &kind, 1,
          nonce.bytes, key.base.assumingMemoryBound(to: UInt8.self)) == 0
      }
    }
  }
}
