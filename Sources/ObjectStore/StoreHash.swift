internal import Crypto
internal import System

/// Which of the hashes that a request states are those of its object. Only a probe states a wrong one.
package enum StatedHashes: UInt8, Sendable {
  case right = 0
  case wrongMD5 = 1
  case wrongSHA256 = 2
}

/// The hashes of an object that its request states.
package struct StoreHash: Sendable {
  /// The SHA-256 in hexadecimal digits, which the signature covers.
  package let signed: String
  /// The MD5; nil if the library refuses it.
  package let md5: [UInt8]?
  /// The MD5 in base 64, for Content-MD5.
  package let md5Text: String?

  /// Hashes bytes. `md5` is always theirs.
  package init(of bytes: [UInt8], stating stated: StatedHashes = .right) {
    signed = Hexadecimal.text(of: SHAHasher.sha256(of: stated == .wrongSHA256 ? bytes + [0] : bytes))
    md5 = NameDigest.md5(bytes)
    let other = stated == .wrongMD5 ? NameDigest.md5(bytes + [0]) : md5
    md5Text = other.map { Base64.text(of: $0) }
  }
}
