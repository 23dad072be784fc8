internal import COpenSSL

/// The key that makes hashes of contents comparable: a random number that only the comparing programs know.
package struct ContentKey: Hashable, Sendable {
  /// Bytes of a key.
  package static let count = 16
  /// The key of this run of the program.
  package static let ofThisRun = ContentKey()

  package let bytes: [UInt8]

  /// A random key.
  package init() { bytes = (0..<Self.count).map { _ in UInt8.random(in: .min ... .max) } }

  /// A key that another program chose; nil unless it has `count` bytes.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = Array(bytes)
  }
}

/// GMAC (NIST SP 800-38D, AES-128, a nonce of zeros; OpenSSL) over a stream of bytes. With a random key, two different
/// contents have the same value, by chance or through an attacker, with a probability of at most 2⁻⁶⁰ for files of any
/// length. It takes a fifth of the time of SHA-256. It proves nothing to a person who knows the key, and keeps nothing
/// secret.
@safe package struct ContentHasher: ~Copyable {
  /// Bytes of a hash.
  package static let count = 16

  private let context: OpaquePointer

  /// Begins a hash.
  package init(_ key: ContentKey = .ofThisRun) {
    OpenSSL.initialize()
    let nonce = [UInt8](repeating: 0, count: 12)
    guard let context = unsafe EVP_CIPHER_CTX_new(),
      unsafe EVP_EncryptInit_ex2(context, EVP_aes_128_gcm(), key.bytes, nonce, nil) == 1
    else {
      fatalError("OpenSSL has no AES-GCM")
    }
    unsafe self.context = context
  }

  deinit {
    // OpenSSL wipes the memory that it frees. This memory may hold the end of a content.
    unsafe EVP_CIPHER_CTX_free(context)
  }

  /// Adds bytes, at most 2³¹ − 1.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if unsafe bytes.isEmpty { return }
    var length: Int32 = 0
    guard unsafe EVP_EncryptUpdate(context, nil, &length, bytes.baseAddress, Int32(bytes.count)) == 1 else {
      fatalError("OpenSSL failed")
    }
  }

  /// The hash; nothing can be added afterwards.
  package consuming func finish() -> [UInt8] {
    var result = [UInt8](repeating: 0, count: Self.count)
    var length: Int32 = 0
    guard unsafe EVP_EncryptFinal_ex(context, &result, &length) == 1,
      unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.count), &result) == 1
    else {
      fatalError("OpenSSL failed")
    }
    return result
  }
}
