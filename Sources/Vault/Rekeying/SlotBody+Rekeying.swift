internal import Crypto

/// A new key for a space.
extension SlotBody {
  /// The key for hashes of contents.
  var contentKey: SecretBytes {
    rekeying?.contentKey ?? KeyedHash.subkey(of: spaceKey, context: "agonyfs content")
  }

  /// The key for checkpoint records.
  var recordKey: SecretBytes {
    rekeying?.recordKey ?? KeyedHash.subkey(of: spaceKey, context: "agonyfs record")
  }

  /// Whether both lead to one space: they have the same key, or that of one is the previous key of the other.
  package func opensSameSpace(as other: SlotBody) -> Bool {
    let keys = [spaceKey, rekeying?.previousKey].compactMap(\.self)
    return [other.spaceKey, other.rekeying?.previousKey].compactMap(\.self).contains { key in
      keys.contains { $0.equals(key) }
    }
  }

  /// Whether something may be under the previous key.
  package var isRekeying: Bool { rekeying?.previousKey != nil }

  /// The body with the previous key; nil if nothing is under it.
  var beforeRekeying: SlotBody? {
    guard let key = rekeying?.previousKey else { return nil }
    var body = self
    body.spaceKey = key
    body.rekeying = Rekeying(contentKey: contentKey, recordKey: recordKey)
    return body
  }

  /// The body when nothing is under the previous key any more.
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
