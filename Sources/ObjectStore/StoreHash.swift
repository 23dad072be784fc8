internal import Crypto
internal import System

/// The hashes of an object that its request states.
package struct StoreHash: Sendable {
  /// The SHA-256 in hexadecimal digits, which the signature covers.
  package let signed: String
  /// The MD5; nil if the library refuses it.
  package let md5: [UInt8]?
  /// The MD5 in base 64, for Content-MD5.
  package let md5Text: String?

  /// Hashes bytes.
  package init(of bytes: [UInt8]) {
    signed = Hexadecimal.text(of: SHAHasher.sha256(of: bytes))
    md5 = NameDigest.md5(bytes)
    md5Text = md5.map { Base64.text(of: $0) }
  }
}
