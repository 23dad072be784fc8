internal import COpenSSL

/// SHA-1 (FIPS 180-4; OpenSSL) over a stream of bytes, for what other programs hashed. It finds accidents, no forgeries.
@safe package final class SHA1Hasher {
  /// Bytes of a hash.
  package static let count = 20

  private let context: OpaquePointer

  /// Begins a hash; nil if the library refuses SHA-1.
  package init?() {
    OpenSSL.initialize()
    guard let context = unsafe EVP_MD_CTX_new() else { return nil }
    guard unsafe EVP_DigestInit_ex(context, EVP_sha1(), nil) == 1 else {
      unsafe EVP_MD_CTX_free(context)
      return nil
    }
    unsafe self.context = context
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  /// Adds bytes.
  package func update(_ bytes: UnsafeRawBufferPointer) {
    guard unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else { fatalError("OpenSSL failed") }
  }

  /// The hash; nothing can be added afterwards.
  package func finish() -> [UInt8] {
    var result = [UInt8](repeating: 0, count: Self.count)
    guard unsafe EVP_DigestFinal_ex(context, &result, nil) == 1 else { fatalError("OpenSSL failed") }
    return result
  }
}
