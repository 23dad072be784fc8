package import ObjectStore
internal import Synchronization

/// A store that can be probed. It calls a function before each request, in the thread that makes it.
package final class WatchedStore: ProbedStore {
  /// A kind of request.
  package enum Request: Hashable, Sendable {
    case list
    case head
    case get
    case put
    case delete
    /// An object with a wrong hash.
    case damaged
    /// A range of an object.
    case range
    /// A setting of the bucket.
    case setting
  }

  private let store: LyingStore
  private let before: @Sendable (Request) throws(StoreError) -> Void
  private let requests = Mutex<[Request: Int]>([:])

  /// - Parameter before: called with each request; its error is that of the request. `setting` has no errors.
  package init(_ store: LyingStore, before: @escaping @Sendable (Request) throws(StoreError) -> Void = { _ in }) {
    self.store = store
    self.before = before
  }

  /// How many requests there were, by their kinds.
  package var counts: [Request: Int] { requests.withLock { $0 } }

  private func note(_ request: Request) throws(StoreError) {
    requests.withLock { $0[request, default: 0] += 1 }
    try before(request)
  }

  package func list(prefix: String, after: String?) throws(StoreError) -> ObjectPage {
    try note(.list)
    return try store.list(prefix: prefix, after: after)
  }

  package func head(_ key: ObjectKey) throws(StoreError) -> ObjectEntry {
    try note(.head)
    return try store.head(key)
  }

  package func get(_ key: ObjectKey, range: Range<Int64>?) throws(StoreError) -> [UInt8] {
    try note(.get)
    return try store.get(key, range: range)
  }

  package func put(_ key: ObjectKey, _ content: HashedContent, ifAbsent: Bool) throws(StoreError) {
    try note(.put)
    try store.put(key, content, ifAbsent: ifAbsent)
  }

  package func delete(_ key: ObjectKey) throws(StoreError) {
    try note(.delete)
    try store.delete(key)
  }

  package func accepts(_ key: ObjectKey, _ bytes: [UInt8], stating stated: StatedHashes) throws(StoreError) -> Bool {
    try note(.damaged)
    return try store.accepts(key, bytes, stating: stated)
  }

  package func exactRange(_ key: ObjectKey, _ range: Range<Int64>) throws(StoreError) -> [UInt8]? {
    try note(.range)
    return try store.exactRange(key, range)
  }

  package func hasSetting(_ setting: BucketSetting) -> Bool {
    try? note(.setting)
    return store.hasSetting(setting)
  }
}
