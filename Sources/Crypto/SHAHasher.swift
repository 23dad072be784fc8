internal import COpenSSL

/// SHA-256 or SHA-1 (FIPS 180-4; OpenSSL) over a stream of bytes, to compare with hashes of other programs.
@safe package final class SHAHasher {
  /// Bytes of a hash.
  package static let sha256Count = 32, sha1Count = 20

  private let context: OpaquePointer
  private let count: Int

  private init?(_ algorithm: OpaquePointer?, count: Int) {
    OpenSSL.initialize()
    guard let context = unsafe EVP_MD_CTX_new() else { return nil }
    guard unsafe EVP_DigestInit_ex(context, algorithm, nil) == 1 else {
      unsafe EVP_MD_CTX_free(context)
      return nil
    }
    unsafe self.context = context
    self.count = count
  }

  /// Begins a SHA-256 hash.
  package static func sha256() -> SHAHasher {
    guard let hasher = unsafe SHAHasher(EVP_sha256(), count: sha256Count) else { fatalError("OpenSSL has no SHA-256") }
    return hasher
  }

  /// Begins a SHA-1 hash, which detects accidents but not forgeries; nil if the library refuses it.
  package static func sha1() -> SHAHasher? { unsafe SHAHasher(EVP_sha1(), count: sha1Count) }

  deinit { unsafe EVP_MD_CTX_free(context) }

  /// Adds bytes.
  package func update(_ bytes: UnsafeRawBufferPointer) {
    guard unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else { fatalError("OpenSSL failed") }
  }

  /// The hash; nothing can be added afterwards.
  package func finish() -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    guard unsafe EVP_DigestFinal_ex(context, &result, nil) == 1 else { fatalError("OpenSSL failed") }
    return result
  }

  /// The SHA-256 of some bytes.
  package static func sha256(of bytes: [UInt8]) -> [UInt8] {
    let hasher = sha256()
    unsafe bytes.withUnsafeBytes { unsafe hasher.update($0) }
    return hasher.finish()
  }
}
