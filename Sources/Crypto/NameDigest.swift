internal import COpenSSL

/// MD5 (RFC 1321), by which the freedesktop thumbnail standard names files. It protects nothing.
package enum NameDigest {
  /// The 16 bytes of a digest; nil if the library refuses MD5.
  package static func md5(_ bytes: [UInt8]) -> [UInt8]? {
    OpenSSL.initialize()
    var result = [UInt8](repeating: 0, count: 16)
    var length: UInt32 = 0
    guard unsafe EVP_Digest(bytes, bytes.count, &result, &length, EVP_md5(), nil) == 1, length == 16 else { return nil }
    return result
  }
}
