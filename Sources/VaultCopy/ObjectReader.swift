// Invariants
// 1. Bytes that were read agree with the checksum that the store states, or two readings agree. A proxy that flips or
//    cuts bytes does not falsify a copy.

internal import ObjectStore
internal import System

/// Reads the objects of a store.
struct ObjectReader: Sendable {
  private static let readings = 5

  /// The store.
  let store: any ObjectStore
  /// Names the store in messages.
  let address: StoreAddress
  /// For bytes that are read.
  let limit: BandwidthLimit?

  /// The facts of an object; nil if there is none.
  func head(_ key: ObjectKey) throws(CopyError) -> CopyEntry? {
    do throws(StoreError) {
      return CopyEntry(try store.head(key))
    } catch .notFound {
      return nil
    } catch {
      throw .store(error, address)
    }
  }

  /// Reads an object until its bytes agree with a checksum or with another reading; nil if it is gone.
  ///
  /// - Parameters:
  ///   - listed: what is known of it.
  ///   - earlier: a reading that was made before.
  func read(
    _ key: ObjectKey, _ listed: CopyEntry?, earlier: HashedContent? = nil
  ) throws(CopyError) -> HashedContent? {
    var expected = listed
    var earlier = earlier
    for _ in 0..<Self.readings {
      if expected == nil {
        guard let found = try head(key) else { return nil }
        expected = found
      }
      limit?.take(Int(min(expected?.size ?? 0, Int64(ObjectLimits.mostBytes))))
      guard let content = try get(key) else { return nil }
      if let expected, isContent(content, of: expected) { return content }
      if let expected, content.bytes == earlier?.bytes, Int64(content.bytes.count) == expected.size { return content }
      earlier = content
      // It may have been replaced since it was listed.
      expected = nil
    }
    throw .store(.brokenReply("an object that changes"), address)
  }

  /// Reads a small object of which nothing is known: it asks for facts and bytes at once, also if there is no object.
  func readAtOnce(_ key: ObjectKey) throws(CopyError) -> HashedContent? {
    let (facts, content) = try concurrently(true) { () throws(CopyError) -> CopyEntry? in
      try head(key)
    } and: { () throws(CopyError) -> HashedContent? in
      try get(key)
    }
    if facts == nil, content == nil { return nil }
    if let content { limit?.take(content.bytes.count) }
    if let facts, let content, isContent(content, of: facts) { return content }
    return try read(key, nil, earlier: content)
  }

  private func isContent(_ content: HashedContent, of facts: CopyEntry) -> Bool {
    CopyEntry(of: content, like: facts).comparison(with: facts) == .same
  }

  /// The bytes of an object as they arrive; nil if there is none.
  private func get(_ key: ObjectKey) throws(CopyError) -> HashedContent? {
    do throws(StoreError) {
      return HashedContent(try store.get(key, range: nil))
    } catch .notFound {
      return nil
    } catch {
      throw .store(error, address)
    }
  }
}
