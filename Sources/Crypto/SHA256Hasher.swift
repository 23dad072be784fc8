internal import COpenSSL

/// SHA-256 (FIPS 180-4; OpenSSL) over a stream of bytes, for what other programs hashed.
@safe package struct SHA256Hasher: ~Copyable {
  /// Bytes of a hash.
  package static let count = 32

  private let context: OpaquePointer

  /// Begins a hash.
  package init() {
    OpenSSL.initialize()
    guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      fatalError("OpenSSL has no SHA-256")
    }
    unsafe self.context = context
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  /// Adds bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else { fatalError("OpenSSL failed") }
  }

  /// The hash; nothing can be added afterwards.
  package consuming func finish() -> [UInt8] {
    var result = [UInt8](repeating: 0, count: Self.count)
    guard unsafe EVP_DigestFinal_ex(context, &result, nil) == 1 else { fatalError("OpenSSL failed") }
    return result
  }

  /// The hash of some bytes.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var hasher = SHA256Hasher()
    unsafe bytes.withUnsafeBytes { unsafe hasher.update($0) }
    return hasher.finish()
  }
}
