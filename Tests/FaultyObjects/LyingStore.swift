package import ObjectStore
internal import Synchronization

/// What a store does that a probe has to notice.
package struct ObjectLies: Sendable {
  /// It confirms objects with a wrong hash.
  package var acceptsWrongMD5 = false
  package var acceptsWrongSHA256 = false
  /// It sends whole objects.
  package var ignoresRanges = false
  /// Lists, or the bytes of objects, are those before the last change.
  package var listsLate = false
  package var readsLate = false
  /// How many segment files are damaged when they are stored.
  package var damaged = 0
  /// It does not permit replacing objects.
  package var deniesReplacing = false
  /// It does not permit deleting.
  package var deniesDeleting = false
  /// What it says of its bucket.
  package var settings: Set<BucketSetting> = []
  /// How often another program replaces an object, or deletes it, right after it was stored.
  package var replaced = 0
  package var deleted = 0
  /// How often another program stores an object right after it was deleted, and deletes it after the next list.
  package var revived = 0

  /// No lies.
  package init() {}
}

/// A store in memory that can be probed.
package final class LyingStore: ProbedStore {
  private struct State {
    var before: [ObjectKey: [UInt8]] = [:]
    var replaced: Int
    var deleted: Int
    var revived: Int
    var damaged: Int
    var isRevived: ObjectKey?
  }

  /// The objects.
  package let memory = MemoryStore()
  private let lies: ObjectLies
  private let state: Mutex<State>

  /// An empty store.
  package init(_ lies: ObjectLies = ObjectLies()) {
    self.lies = lies
    state = Mutex(
      State(replaced: lies.replaced, deleted: lies.deleted, revived: lies.revived, damaged: lies.damaged))
  }

  package func list(prefix: String, after: String?) throws(StoreError) -> ObjectPage {
    let store = try lies.listsLate ? earlier() : memory
    let page = try store.list(prefix: prefix, after: after)
    let revived = state.withLock { state in
      defer { state.isRevived = nil }
      return state.isRevived
    }
    if let revived { try memory.delete(revived) }
    return page
  }

  package func head(_ key: ObjectKey) throws(StoreError) -> ObjectEntry { try memory.head(key) }

  package func get(_ key: ObjectKey, range: Range<Int64>?) throws(StoreError) -> [UInt8] {
    let store = try lies.readsLate ? earlier() : memory
    return try store.get(key, range: range)
  }

  package func put(_ key: ObjectKey, _ content: HashedContent, ifAbsent: Bool) throws(StoreError) {
    if lies.deniesReplacing, memory.objects[key] != nil { throw .denied(.put) }
    note()
    let isDamaged = state.withLock { state in
      guard key.text.hasPrefix("segments/") else { return false }
      state.damaged -= 1
      return state.damaged >= 0
    }
    try memory.put(key, isDamaged ? HashedContent(content.bytes.map { $0 ^ 1 }) : content, ifAbsent: ifAbsent)
    let (isReplaced, isDeleted) = state.withLock { state in
      state.replaced -= 1
      state.deleted -= 1
      return (state.replaced >= 0, state.deleted >= 0)
    }
    if isReplaced { try memory.put(key, [7], ifAbsent: false) }
    if isDeleted { try memory.delete(key) }
  }

  package func delete(_ key: ObjectKey) throws(StoreError) {
    if lies.deniesDeleting { throw .denied(.delete) }
    note()
    try memory.delete(key)
    let isRevived = state.withLock { state in
      state.revived -= 1
      if state.revived >= 0 { state.isRevived = key }
      return state.revived >= 0
    }
    if isRevived { try memory.put(key, [7], ifAbsent: false) }
  }

  package func accepts(_ key: ObjectKey, _ bytes: [UInt8], stating stated: StatedHashes) throws(StoreError) -> Bool {
    switch stated {
    case .wrongMD5 where !lies.acceptsWrongMD5: return false
    case .wrongSHA256 where !lies.acceptsWrongSHA256: return false
    default: break
    }
    do throws(StoreError) {
      try put(key, bytes, ifAbsent: false)
      return true
    } catch .denied {
      return false
    }
  }

  package func exactRange(_ key: ObjectKey, _ range: Range<Int64>) throws(StoreError) -> [UInt8]? {
    let bytes = try get(key, range: range)
    return lies.ignoresRanges ? nil : bytes
  }

  package func hasSetting(_ setting: BucketSetting) -> Bool { lies.settings.contains(setting) }

  /// Keeps the objects as they are before a change.
  private func note() {
    let objects = memory.objects
    state.withLock { $0.before = objects }
  }

  private func earlier() throws(StoreError) -> MemoryStore {
    let store = MemoryStore()
    for (key, bytes) in state.withLock({ $0.before }) { try store.put(key, bytes, ifAbsent: true) }
    return store
  }
}
