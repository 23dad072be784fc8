// Invariants
// 1. The name of an object is the path of the file in the vault.
// 2. A prefix without `agonyfs.json` gets the object `copying` with the parameters first. It is deleted after
//    `agonyfs.json` is stored, if that is permitted; next to `agonyfs.json` it means nothing. Of several first copies at
//    once one stores it, unless the store knows no conditions.
// 3. The token `synced` of a sync stands for the state that the sync left (`SyncRun`). So a copy, which knows no tokens,
//    replaces one that is there by another number before it changes anything else.
// 4. Bytes that were read agree with the checksum that the store states, or two readings agree. A proxy that flips or
//    cuts bytes does not falsify a copy.

package import ObjectStore
package import Storage
internal import Synchronization

/// An end of a copy in an object store.
package final class StoreEnd: SyncTarget {
  private static let readings = 5
  /// The error of a store that does not know `If-None-Match`, with the status 501.
  private static let unknownCondition = "NotImplemented"

  private let store: any ObjectStore
  private let address: StoreAddress
  private let limit: BandwidthLimit?
  private let stopping: @Sendable () -> Void
  /// Whether there is no token of an earlier sync any more (invariant 3).
  private let hasEndedSync = Mutex(false)

  /// - Parameters:
  ///   - address: names the store in messages.
  ///   - limit: for bytes in both directions.
  ///   - stop: ends all requests of the store.
  package init(
    _ store: any ObjectStore, at address: StoreAddress, limit: BandwidthLimit? = nil,
    stop: @escaping @Sendable () -> Void = {}
  ) {
    self.store = store
    self.address = address
    self.limit = limit
    stopping = stop
  }

  package var place: String { "\(address)" }

  /// The most files that a list is taken for: 64 TiB of complete ones.
  private static let mostFiles = 1 << 24

  package var keepsChecksums: Bool { true }

  package var isUnfinished: Bool { (try? read(Self.key(StorageNames.copyMarker), nil)) != nil }

  /// The parameters. Lists first, because only replies with a body say what is wrong with a bucket or credentials.
  package func readParameters() throws(CopyError) -> [UInt8]? {
    let key = Self.key(StorageNames.parameters)
    let page = try attempt { () throws(StoreError) in try store.list(prefix: key.text, after: nil) }
    return try read(key, page.entries.first { $0.key == key }.map { CopyEntry($0) })?.bytes
  }

  package func list() throws(CopyError) -> [SegmentIdentifier: CopyEntry] {
    var files: [SegmentIdentifier: CopyEntry] = [:]
    var after: String?
    repeat {
      let page = try attempt { () throws(StoreError) in
        try store.list(prefix: StorageNames.segments + "/", after: after)
      }
      for entry in page.entries {
        guard let identifier = Self.identifier(of: entry.key) else { continue }
        files[identifier] = CopyEntry(entry)
      }
      after = page.next
      if files.count > Self.mostFiles { throw .store(.brokenReply("its list does not end"), address) }
    } while after != nil
    return files
  }

  package func entry(_ identifier: SegmentIdentifier, listed: CopyEntry) throws(CopyError) -> CopyEntry? {
    if listed.md5 != nil || listed.sha256 != nil { return listed }
    return try head(Self.key(of: identifier)).map { CopyEntry($0) }
  }

  package func read(_ identifier: SegmentIdentifier, listed: CopyEntry?) throws(CopyError) -> HashedContent? {
    try read(Self.key(of: identifier), listed)
  }

  package func readBack(_ identifier: SegmentIdentifier) throws(CopyError) -> [UInt8]? {
    try read(Self.key(of: identifier), nil)?.bytes
  }

  package func begin(_ parameters: [UInt8], accepts: ([UInt8]) -> Bool) throws(CopyError) -> [UInt8]? {
    switch try content(accepts) {
    case .vault(let there): return there
    case .unfinished: return nil
    case .nothing: break
    }
    let marker = Self.key(StorageNames.copyMarker)
    do throws(StoreError) {
      try store.put(marker, parameters, ifAbsent: true)
    } catch .alreadyThere {
      guard let there = try read(marker, nil), accepts(there.bytes) else { throw .otherVault(place) }
    } catch .refused(let code) where code == Self.unknownCondition {
      // The list was empty. What another first copy stored since is noticed if it came last.
      try attempt { () throws(StoreError) in try store.put(marker, parameters, ifAbsent: false) }
      guard let there = try read(marker, nil), accepts(there.bytes) else { throw .otherVault(place) }
    } catch {
      throw .store(error, address)
    }
    return nil
  }

  package func check(accepts: ([UInt8]) -> Bool) throws(CopyError) -> [UInt8]? {
    if case .vault(let there) = try content(accepts) { return there }
    return nil
  }

  package func replaceParameters(_ parameters: [UInt8]) throws(CopyError) {
    try endSync()
    try attempt { () throws(StoreError) in
      try store.put(Self.key(StorageNames.parameters), parameters, ifAbsent: false)
    }
  }

  /// Probes the store if it can be probed.
  package func probe() throws(CopyError) -> StoreFindings {
    guard let probed = store as? any ProbedStore else { return StoreFindings() }
    return try attempt { () throws(StoreError) in try StoreProbe(probed).run() }
  }

  package func write(_ identifier: SegmentIdentifier, _ content: HashedContent, isComplete: Bool) throws(CopyError) {
    try endSync()
    limit?.take(content.bytes.count)
    try attempt { () throws(StoreError) in try store.put(Self.key(of: identifier), content, ifAbsent: false) }
  }

  package func complete(_ parameters: [UInt8]) throws(CopyError) {
    if try readParameters() != parameters { try replaceParameters(parameters) }
    try? store.delete(Self.key(StorageNames.copyMarker))
  }

  package func delete(_ identifier: SegmentIdentifier) throws(CopyError) {
    try attempt { () throws(StoreError) in try store.delete(Self.key(of: identifier)) }
  }

  package func readToken() throws(CopyError) -> SyncToken? {
    try read(Self.key(StorageNames.synced), nil).flatMap { SyncToken(text: $0.bytes) }
  }

  package func writeToken(_ token: SyncToken) throws(CopyError) {
    try attempt { () throws(StoreError) in
      try store.put(Self.key(StorageNames.synced), token.text, ifAbsent: false)
    }
    hasEndedSync.withLock { $0 = true }
  }

  package func stop() {
    limit?.stop()
    stopping()
  }

  /// What a prefix has.
  private enum Content {
    /// A vault with these parameters.
    case vault([UInt8])
    /// A copy that was never completed.
    case unfinished
    case nothing
  }

  private func content(_ accepts: ([UInt8]) -> Bool) throws(CopyError) -> Content {
    if let there = try readParameters() {
      guard accepts(there) else { throw .otherVault(place) }
      return .vault(there)
    }
    let marker = Self.key(StorageNames.copyMarker)
    if let there = try read(marker, nil) {
      guard accepts(there.bytes) else { throw .otherVault(place) }
      return .unfinished
    }
    let page = try attempt { () throws(StoreError) in try store.list(prefix: "", after: nil) }
    // A request whose reply was lost may have stored the mark since.
    let own = [marker, Self.key(StorageNames.synced)]
    guard page.entries.allSatisfy({ own.contains($0.key) || StoreProbe.isOwn($0.key) }) else { throw .notEmpty(place) }
    return .nothing
  }

  /// Replaces the token of an earlier sync by one that no vault has, once.
  private func endSync() throws(CopyError) {
    try hasEndedSync.withLock { (isDone) throws(CopyError) in
      if isDone { return }
      let key = Self.key(StorageNames.synced)
      if try head(key) != nil {
        try attempt { () throws(StoreError) in try store.put(key, SyncToken().text, ifAbsent: false) }
      }
      isDone = true
    }
  }

  private func head(_ key: ObjectKey) throws(CopyError) -> ObjectEntry? {
    do throws(StoreError) {
      return try store.head(key)
    } catch .notFound {
      return nil
    } catch {
      throw .store(error, address)
    }
  }

  /// Reads an object until its bytes agree with a checksum or with another reading; nil if it is gone.
  private func read(_ key: ObjectKey, _ listed: CopyEntry?) throws(CopyError) -> HashedContent? {
    var expected = listed
    var earlier: [UInt8]?
    for _ in 0..<Self.readings {
      if expected == nil {
        guard let found = try head(key) else { return nil }
        expected = CopyEntry(found)
      }
      limit?.take(Int(min(expected?.size ?? 0, Int64(ObjectLimits.mostBytes))))
      let content: HashedContent
      do throws(StoreError) {
        content = HashedContent(try store.get(key, range: nil))
      } catch .notFound {
        return nil
      } catch {
        throw .store(error, address)
      }
      if let expected, CopyEntry(of: content, like: expected).comparison(with: expected) == .same { return content }
      if let expected, content.bytes == earlier, Int64(content.bytes.count) == expected.size { return content }
      earlier = content.bytes
      // It may have been replaced since it was listed.
      expected = nil
    }
    throw .store(.brokenReply("an object that changes"), address)
  }

  @discardableResult
  private func attempt<Value>(_ body: () throws(StoreError) -> Value) throws(CopyError) -> Value {
    do throws(StoreError) {
      return try body()
    } catch {
      throw .store(error, address)
    }
  }

  private static func key(of identifier: SegmentIdentifier) -> ObjectKey {
    key(StorageNames.segments + "/" + identifier.path)
  }

  private static func key(_ path: String) -> ObjectKey {
    guard let key = ObjectKey(path) else { preconditionFailure("a path in a vault is not a key") }
    return key
  }

  /// The file that an object is; nil for objects with other names.
  private static func identifier(of key: ObjectKey) -> SegmentIdentifier? {
    guard let name = key.text.split(separator: "/").last, let identifier = SegmentIdentifier(name: name.utf8),
      Self.key(of: identifier) == key
    else { return nil }
    return identifier
  }

  /// Deletes the marker of an unfinished copy.
  package func withdraw() { try? store.delete(Self.key(StorageNames.copyMarker)) }
}
