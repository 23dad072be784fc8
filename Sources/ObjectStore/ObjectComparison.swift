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
    _ key: ObjectKey, _ content: HashedContent, in store: some ObjectStore
  ) throws(StoreError) -> ObjectComparison {
    do throws(StoreError) {
      let entry = try store.head(key)
      if entry.size == content.bytes.count {
        if let sha256 = entry.sha256, sha256 == content.sha256 { return .same }
        if let md5 = entry.md5, md5 == content.md5 { return .same }
      }
      let first = try store.get(key, range: nil)
      if first == content.bytes { return .same }
      let second = try store.get(key, range: nil)
      if second == content.bytes { return .same }
      guard first == second else { throw .brokenReply("an object that changes") }
      return .other
    } catch .notFound {
      return .absent
    }
  }
}
