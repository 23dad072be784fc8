internal import Crypto

/// The body of a slot during and after re-keying.
extension SlotBody {
  /// The key for hashes of contents.
  var contentKey: SecretBytes {
    rekeying?.contentKey ?? KeyedHash.subkey(of: spaceKey, context: "agonyfs content")
  }

  /// The key for checkpoint records.
  var recordKey: SecretBytes {
    rekeying?.recordKey ?? KeyedHash.subkey(of: spaceKey, context: "agonyfs record")
  }

  /// Whether both lead to one space: they have the same key, or the key of one is the previous key of the other.
  package func opensSameSpace(as other: SlotBody) -> Bool {
    let keys = [spaceKey, rekeying?.previousKey].compactMap(\.self)
    return [other.spaceKey, other.rekeying?.previousKey].compactMap(\.self).contains { key in
      keys.contains { $0.equals(key) }
    }
  }

  /// Whether files may be under the previous key.
  package var isRekeying: Bool { rekeying?.previousKey != nil }

  /// The body with the previous key; nil if no file is under it.
  var beforeRekeying: SlotBody? {
    guard let key = rekeying?.previousKey else { return nil }
    var body = self
    body.spaceKey = key
    body.rekeying = Rekeying(contentKey: contentKey, recordKey: recordKey)
    return body
  }

  /// The body when no file is under the previous key any more.
  var afterRekeying: SlotBody {
    var body = self
    body.rekeying = Rekeying(contentKey: contentKey, recordKey: recordKey)
    return body
  }

  /// A body with a new key for the epochs from `boundary` on.
  func successor(from boundary: EpochNumber) -> SlotBody {
    var body = self
    body.spaceKey = SecretBytes.random(count: CipherSuite.keySize)
    body.rekeying = Rekeying(
      contentKey: contentKey, recordKey: recordKey, previousKey: spaceKey, boundary: boundary)
    return body
  }
}
