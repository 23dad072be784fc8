internal import Crypto

/// Whether an object has certain bytes.
package enum ObjectComparison: Sendable {
  case same
  case other
  case absent

  /// Compares an object with bytes: by the hashes that the store states if one of them is equal, and otherwise by
  /// reading the object. Only two equal readings show that it has other bytes, because a reading may be damaged.
  ///
  /// - Throws: errors of `head` and `get`; `.brokenReply` if two readings differ.
  package static func of(
    _ key: ObjectKey, _ bytes: [UInt8], in store: some ObjectStore
  ) throws(StoreError) -> ObjectComparison {
    do throws(StoreError) {
      let entry = try store.head(key)
      if entry.size == bytes.count {
        if let sha256 = entry.sha256, sha256 == SHAHasher.sha256(of: bytes) { return .same }
        if let md5 = entry.md5, md5 == NameDigest.md5(bytes) { return .same }
      }
      let first = try store.get(key, range: nil)
      if first == bytes { return .same }
      let second = try store.get(key, range: nil)
      if second == bytes { return .same }
      guard first == second else { throw .brokenReply("an object that changes") }
      return .other
    } catch .notFound {
      return .absent
    }
  }
}
