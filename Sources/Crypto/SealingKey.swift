// Invariants
// 1. A nonce is the byte offset of the sealed blob in its segment, little-endian, padded with zeros to the suite's
//    length. A key belongs to one segment (it is derived from the segment's random salt), and each offset of a segment
//    is sealed only once. So no nonce repeats under a key. The log guarantees this; it cannot be checked here.
// 2. Key schedules live in locked memory: OpenSSL allocates from LockedMemory.

internal import COpenSSL
internal import CSodium
internal import Synchronization

/// The key of one segment, in locked memory.
@safe package final class SealingKey: @unchecked Sendable {
  private static let counter = Atomic<UInt64>(1)
  private let bytes: UnsafeMutableRawPointer
  /// By this a context knows whether it already has the key's schedule.
  fileprivate let identity: UInt64
  /// The cipher that the key is for.
  package let suite: CipherSuite

  /// Copies a key of 32 bytes.
  package init(suite: CipherSuite, key: SecretBytes) {
    precondition(key.count == CipherSuite.keySize)
    guard let block = unsafe LockedMemory.allocate(CipherSuite.keySize) else {
      fatalError("No memory is left for a key.")
    }
    unsafe bytes = block
    identity = Self.counter.add(1, ordering: .relaxed).oldValue
    self.suite = suite
    unsafe key.withUnsafeBytes { source in
      guard let base = source.baseAddress else { return }
      unsafe block.copyMemory(from: base, byteCount: CipherSuite.keySize)
    }
  }

  deinit { unsafe LockedMemory.deallocate(bytes) }

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
    case .aes256gcm: unsafe context.sealAES(plaintext, at: offset, kind: kind, into: sealed, bytes, identity)
    case .xchacha20poly1305:
      var kind = kind
      var length: UInt64 = 0
      let status = unsafe withUnsafeBytes(of: (offset.littleEndian, 0 as UInt64, 0 as UInt64)) { nonce in
        unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
          sealed.bytes, &length,
          plaintext.bytes, UInt64(plaintext.count), &kind, 1, nil,
          nonce.bytes, bytes.assumingMemoryBound(to: UInt8.self))
      }
      precondition(status == 0)
    }
  }

  /// Opens what `seal` made. False if it does not authenticate; `plaintext` is then useless.
  package func open(
    _ sealed: UnsafeRawBufferPointer, at offset: UInt64, kind: UInt8,
    into plaintext: UnsafeMutableRawBufferPointer, _ context: borrowing SealingContext
  ) -> Bool {
    guard sealed.count == plaintext.count + CipherSuite.tagSize else { return false }
    switch suite {
    case .aes256gcm: return unsafe context.openAES(sealed, at: offset, kind: kind, into: plaintext, bytes, identity)
    case .xchacha20poly1305:
      var kind = kind
      var length: UInt64 = 0
      return unsafe withUnsafeBytes(of: (offset.littleEndian, 0 as UInt64, 0 as UInt64)) { nonce in
        unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
          plaintext.bytes, &length, nil,
          sealed.bytes, UInt64(sealed.count), &kind, 1,
          nonce.bytes, bytes.assumingMemoryBound(to: UInt8.self)) == 0
      }
    }
  }
}
