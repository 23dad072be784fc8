internal import Glibc

/// The cipher of a space's segments. The raw values are part of the format.
package enum CipherSuite: UInt8, CaseIterable, Sendable {
  /// AES-256-GCM (NIST SP 800-38D) by OpenSSL, 96-bit nonces.
  case aes256gcm = 1
  /// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) by libsodium, 192-bit nonces.
  case xchacha20poly1305 = 2

  /// Bytes of a key, for both suites.
  package static let keySize = 32
  /// Bytes that sealing adds, for both suites.
  package static let tagSize = 16

  /// The name that users type.
  package var name: String {
    switch self {
    case .aes256gcm: "aes-256-gcm"
    case .xchacha20poly1305: "xchacha20-poly1305"
    }
  }

  /// The suite with a name that users type.
  package init?(name: String) {
    guard let suite = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = suite
  }

  /// The faster suite on this machine, measured for some milliseconds each.
  package static func fastest() -> CipherSuite {
    allCases.max { left, right in
      left.bytesPerSecond(milliseconds: 5) < right.bytesPerSecond(milliseconds: 5)
    } ?? .aes256gcm
  }

  /// Speed of sealing 16 KiB messages on one core, measured for about `milliseconds` of this thread's processor time,
  /// so other load on the machine does not decide the cipher of a space.
  package func bytesPerSecond(milliseconds: Int) -> Double {
    let messageSize = 16 << 10
    let key = SealingKey(suite: self, key: SecretBytes.random(count: Self.keySize))
    let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: messageSize, alignment: 64)
    let sealed = UnsafeMutableRawBufferPointer.allocate(byteCount: messageSize + Self.tagSize, alignment: 64)
    defer {
      unsafe plaintext.deallocate()
      unsafe sealed.deallocate()
    }
    unsafe plaintext.initializeMemory(as: UInt8.self, repeating: 0)
    var offset: UInt64 = 0
    func now() -> Double {
      var time = timespec()
      unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    return SealingContext.with { context in
      unsafe key.seal(UnsafeRawBufferPointer(plaintext), at: offset, kind: 0, into: sealed, context)
      let start = now()
      var sealedBytes = 0
      while true {
        for _ in 0..<16 {
          offset += UInt64(messageSize)
          unsafe key.seal(UnsafeRawBufferPointer(plaintext), at: offset, kind: 0, into: sealed, context)
        }
        sealedBytes += 16 * messageSize
        let elapsed = now() - start
        if elapsed * 1000 >= Double(milliseconds) { return Double(sealedBytes) / elapsed }
      }
    }
  }
}
