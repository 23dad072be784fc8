internal import Crypto
internal import Synchronization

/// The bytes of an object. Each of their hashes is computed once, when it is first asked for, and goes with them from
/// where they are read to where they are sent.
package final class HashedContent: Sendable {
  private struct Hashes {
    var sha256: [UInt8]?
    /// The inner nil: the library refuses it.
    var md5: [UInt8]??
  }

  /// The bytes.
  package let bytes: [UInt8]
  private let hashes = Mutex(Hashes())

  /// Bytes whose hashes nobody knows yet.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The SHA-256.
  package var sha256: [UInt8] {
    hashes.withLock { hashes in
      if let known = hashes.sha256 { return known }
      let found = SHAHasher.sha256(of: bytes)
      hashes.sha256 = found
      return found
    }
  }

  /// The MD5; nil if the library refuses it.
  package var md5: [UInt8]? {
    hashes.withLock { hashes in
      if let known = hashes.md5 { return known }
      let found = NameDigest.md5(bytes)
      hashes.md5 = .some(found)
      return found
    }
  }
}
