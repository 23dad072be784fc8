// Invariants
// 1. The name of an object is the path of the file in the vault.
// 2. A prefix without `agonyfs.json` gets the object `copying` with the parameters first. It is deleted after
//    `agonyfs.json` is stored, if that is permitted; next to `agonyfs.json` it means nothing. Of several first copies at
//    once one stores it, unless the store knows no conditions.
// 3. The token `synced` of a sync stands for the state that the sync left (`SyncRun`). So a copy, which knows no tokens,
//    replaces one that is there by another number before it changes anything else.
// 4. Bytes that were read are those of the object (`ObjectReader`).

package import ObjectStore
package import Storage
internal import Synchronization
internal import System

/// An end of a copy in an object store.
package final class StoreEnd: SyncTarget {
  let store: any ObjectStore
  let address: StoreAddress
  private let limit: BandwidthLimit?
  let atOnce: Bool
  let reader: ObjectReader
  private let stopping: @Sendable () -> Void
  /// Whether there is no token of an earlier sync any more (invariant 3).
  private let hasEndedSync = Mutex(false)
  /// Whether the place had a vault when it was looked at.
  let hadVault = Atomic(false)
  /// Whether this run stored the mark of an incomplete copy.
  let hasMarked = Atomic(false)
  /// The settings of the bucket, when it was asked for them.
  let settings = Mutex<Set<BucketSetting>?>(nil)

  /// - Parameters:
  ///   - address: names the store in messages.
  ///   - limit: for bytes in both directions.
  ///   - atOnce: whether requests that do not depend on each other are made at once.
  ///   - stop: ends all requests of the store.
  package init(
    _ store: any ObjectStore, at address: StoreAddress, limit: BandwidthLimit? = nil, atOnce: Bool = false,
    stop: @escaping @Sendable () -> Void = {}
  ) {
    (self.store, self.address, self.limit, self.atOnce) = (store, address, limit, atOnce)
    reader = ObjectReader(store: store, address: address, limit: limit)
    stopping = stop
  }

  package var place: String { "\(address)" }

  /// The most files that a list is taken for: 64 TiB of complete ones.
  private static let mostFiles = 1 << 24

  package var keepsChecksums: Bool { true }

  package var isUnfinished: Bool { (try? reader.read(ObjectNames.marker, nil)) != nil }

  /// The parameters. Lists first, because only replies with a body say what is wrong with a bucket or credentials.
  package func readParameters() throws(CopyError) -> [UInt8]? {
    let key = ObjectNames.parameters
    let page = try attempt { () throws(StoreError) in try store.list(prefix: key.text, after: nil) }
    return try reader.read(key, page.entries.first { $0.key == key }.map { CopyEntry($0) })?.bytes
  }

  package func list() throws(CopyError) -> [SegmentIdentifier: CopyEntry] {
    var files: [SegmentIdentifier: CopyEntry] = [:]
    var after: String?
    repeat {
      let page = try attempt { () throws(StoreError) in
        try store.list(prefix: StorageNames.segments + "/", after: after)
      }
      for entry in page.entries {
        guard let identifier = ObjectNames.identifier(of: entry.key) else { continue }
        files[identifier] = CopyEntry(entry)
      }
      after = page.next
      if files.count > Self.mostFiles { throw .store(.brokenReply("its list does not end"), address) }
    } while after != nil
    return files
  }

  package func entry(_ identifier: SegmentIdentifier, listed: CopyEntry) throws(CopyError) -> CopyEntry? {
    if listed.md5 != nil || listed.sha256 != nil { return listed }
    return try reader.head(ObjectNames.key(of: identifier))
  }

  package func read(_ identifier: SegmentIdentifier, listed: CopyEntry?) throws(CopyError) -> HashedContent? {
    try reader.read(ObjectNames.key(of: identifier), listed)
  }

  package func readBack(_ identifier: SegmentIdentifier) throws(CopyError) -> [UInt8]? {
    try reader.read(ObjectNames.key(of: identifier), nil)?.bytes
  }

  package func replaceParameters(_ parameters: [UInt8]) throws(CopyError) {
    try endSync()
    try attempt { () throws(StoreError) in
      try store.put(ObjectNames.parameters, parameters, ifAbsent: false)
    }
  }

  package var stated: StoreFindings {
    var findings = StoreFindings()
    findings.note(settings.withLock { $0 } ?? [])
    return findings
  }

  /// Probes the store if it can be probed.
  package func probe() throws(CopyError) -> StoreFindings {
    guard let probed = store as? any ProbedStore else { return StoreFindings() }
    let known = settings.withLock { $0 }
    return try attempt { () throws(StoreError) in try StoreProbe(probed, atOnce: atOnce).run(knowing: known) }
  }

  package func write(_ identifier: SegmentIdentifier, _ content: HashedContent, isComplete: Bool) throws(CopyError) {
    try endSync()
    limit?.take(content.bytes.count)
    try attempt { () throws(StoreError) in try store.put(ObjectNames.key(of: identifier), content, ifAbsent: false) }
  }

  package func complete(_ parameters: [UInt8]) throws(CopyError) {
    let hadVault = hadVault.load(ordering: .relaxed)
    // Without a vault the mark goes last (invariant 2).
    try concurrently(atOnce && hadVault) { () throws(CopyError) -> Void in
      let found = try hadVault ? self.readSmall(ObjectNames.parameters) : self.reader.read(ObjectNames.parameters, nil)
      if found?.bytes != parameters { try self.replaceParameters(parameters) }
    } and: { () throws(CopyError) -> Void in
      self.deleteMark()
    }
  }

  package func delete(_ identifier: SegmentIdentifier) throws(CopyError) {
    try attempt { () throws(StoreError) in try store.delete(ObjectNames.key(of: identifier)) }
  }

  package func readToken() throws(CopyError) -> SyncToken? {
    try readSmall(ObjectNames.token).flatMap { SyncToken(text: $0.bytes) }
  }

  package func writeToken(_ token: SyncToken) throws(CopyError) {
    try attempt { () throws(StoreError) in
      try store.put(ObjectNames.token, token.text, ifAbsent: false)
    }
    hasEndedSync.withLock { $0 = true }
  }

  package func stop() {
    limit?.stop()
    stopping()
  }

  /// Replaces the token of an earlier sync by one that no vault has, once.
  private func endSync() throws(CopyError) {
    try hasEndedSync.withLock { (isDone) throws(CopyError) in
      if isDone { return }
      if try reader.head(ObjectNames.token) != nil {
        try attempt { () throws(StoreError) in try store.put(ObjectNames.token, SyncToken().text, ifAbsent: false) }
      }
      isDone = true
    }
  }

  /// Reads a small object that there is, mostly.
  private func readSmall(_ key: ObjectKey) throws(CopyError) -> HashedContent? {
    try atOnce ? reader.readAtOnce(key) : reader.read(key, nil)
  }

  @discardableResult
  func attempt<Value>(_ body: () throws(StoreError) -> Value) throws(CopyError) -> Value {
    do throws(StoreError) {
      return try body()
    } catch {
      throw .store(error, address)
    }
  }

  /// Deletes the mark of an incomplete copy, if that is permitted.
  func deleteMark() { try? store.delete(ObjectNames.marker) }
}
