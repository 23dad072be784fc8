internal import Crypto

/// A new key for a space.
extension SlotBody {
  /// The key for hashes of contents.
  var contentKey: SecretBytes {
    rekeying?.contentKey ?? KeyedHash.subkey(of: spaceKey, context: "agonyfs content")
  }

  /// The body with the key before; nil if nothing is under it.
  var beforeRekeying: SlotBody? {
    guard let key = rekeying?.previousKey else { return nil }
    var body = self
    body.spaceKey = key
    body.rekeying = Rekeying(contentKey: contentKey)
    return body
  }

  /// The body when nothing is under the key before any more.
  var afterRekeying: SlotBody {
    var body = self
    body.rekeying = Rekeying(contentKey: contentKey)
    return body
  }

  /// A body with a new key for the epochs from `boundary` on.
  func successor(from boundary: EpochNumber) -> SlotBody {
    var body = self
    body.spaceKey = SecretBytes.random(count: CipherSuite.keySize)
    body.rekeying = Rekeying(contentKey: contentKey, previousKey: spaceKey, boundary: boundary)
    return body
  }
}
