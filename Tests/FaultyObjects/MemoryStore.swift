internal import Crypto
package import ObjectStore
internal import Synchronization
internal import TestSupport

/// How often, in a thousand operations, something goes wrong.
package struct ObjectFaults: Sendable {
  /// The request does not arrive. A change fails as `.unknownOutcome`, everything else as `.interrupted`.
  package var lostRequest = 0
  /// The request is carried out, and its reply does not arrive.
  package var lostReply = 0
  /// The reply of a change does not arrive, and the change is carried out some operations later.
  package var late = 0
  /// The store is busy.
  package var busy = 0
  /// The bytes that `get` returns are not those of the object: one bit differs.
  package var flipped = 0
  /// The bytes that `get` returns end early.
  package var cut = 0

  /// No faults.
  package init() {}

  /// All faults at this rate.
  package static func all(_ rate: Int) -> ObjectFaults {
    var faults = ObjectFaults()
    (faults.lostRequest, faults.lostReply, faults.late) = (rate, rate, rate)
    (faults.busy, faults.flipped, faults.cut) = (rate, rate, rate)
    return faults
  }
}

/// A store in memory, whose faults are the same in each run with the same seed if one thread uses it.
package final class MemoryStore: ObjectStore {
  private enum Change {
    case put(ObjectKey, [UInt8], ifAbsent: Bool)
    case delete(ObjectKey)
  }
  private struct State {
    var objects: [ObjectKey: [UInt8]] = [:]
    var faults = ObjectFaults()
    var generator: SplitMix64
    /// Changes whose replies were lost, and the operations until they are carried out.
    var late: [(change: Change, wait: Int)] = []
    var requests: [StoreAction: Int] = [:]
    var quota = Int.max
    var pageCount = ObjectLimits.mostEntries
    var knowsConditions = true
  }

  private let state: Mutex<State>

  /// An empty store.
  package init(seed: UInt64 = 1, faults: ObjectFaults = ObjectFaults()) {
    var state = State(generator: SplitMix64(seed: seed))
    state.faults = faults
    self.state = Mutex(state)
  }

  /// All objects.
  package var objects: [ObjectKey: [UInt8]] { state.withLock { $0.objects } }

  /// The number of requests of a kind so far, including those that failed.
  package func requests(_ action: StoreAction) -> Int { state.withLock { $0.requests[action] ?? 0 } }

  /// Replaces the faults. Changes that are late are carried out now.
  package func setFaults(_ faults: ObjectFaults) {
    state.withLock { state in
      state.faults = faults
      for (change, _) in state.late { Self.carryOut(change, &state) }
      state.late = []
    }
  }

  /// Bounds the bytes of all objects.
  package func setQuota(_ bytes: Int) { state.withLock { $0.quota = bytes } }

  /// Bounds the objects in a part of a list.
  package func setPageCount(_ count: Int) { state.withLock { $0.pageCount = count } }

  /// Has the store refuse each `put` with `ifAbsent`, as one that does not know `If-None-Match`.
  package func forgetConditions() { state.withLock { $0.knowsConditions = false } }

  package func list(prefix: String, after: String?) throws(StoreError) -> ObjectPage {
    try run(.list) { (state) throws(StoreError) in
      let keys = state.objects.keys.filter { key in
        key.text.hasPrefix(prefix)
          && (after.map { $0.utf8.lexicographicallyPrecedes(key.text.utf8) } ?? true)
      }.sorted()
      let part = keys.prefix(state.pageCount)
      return ObjectPage(
        entries: part.map { Self.entry($0, state.objects[$0] ?? []) },
        next: part.count < keys.count ? part.last?.text : nil)
    }
  }

  package func head(_ key: ObjectKey) throws(StoreError) -> ObjectEntry {
    try run(.head) { (state) throws(StoreError) in
      guard let bytes = state.objects[key] else { throw .notFound }
      return Self.entry(key, bytes)
    }
  }

  package func get(_ key: ObjectKey, range: Range<Int64>?) throws(StoreError) -> [UInt8] {
    try run(.get) { (state) throws(StoreError) in
      guard let object = state.objects[key] else { throw .notFound }
      var bytes = object
      if let range { bytes = Array(object[Range(range).clamped(to: object.indices)]) }
      if Self.happens(state.faults.flipped, &state), let place = bytes.indices.randomElement(using: &state.generator) {
        bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &state.generator)
      }
      if Self.happens(state.faults.cut, &state) {
        bytes.removeLast(Int.random(in: 0...bytes.count, using: &state.generator))
      }
      return bytes
    }
  }

  package func put(_ key: ObjectKey, _ content: HashedContent, ifAbsent: Bool) throws(StoreError) {
    let bytes = content.bytes
    try change(.put(key, bytes, ifAbsent: ifAbsent), .put) { (state) throws(StoreError) in
      if ifAbsent, !state.knowsConditions { throw .refused("NotImplemented") }
      if ifAbsent, state.objects[key] != nil { throw .alreadyThere }
      let others = state.objects.reduce(0) { $1.key == key ? $0 : $0 + $1.value.count }
      guard others + bytes.count <= state.quota else { throw .quota }
      state.objects[key] = bytes
    }
  }

  package func delete(_ key: ObjectKey) throws(StoreError) {
    try change(.delete(key), .delete) { (state) throws(StoreError) in state.objects[key] = nil }
  }

  private static func entry(_ key: ObjectKey, _ bytes: [UInt8]) -> ObjectEntry {
    ObjectEntry(key: key, size: Int64(bytes.count), md5: NameDigest.md5(bytes))
  }

  private static func happens(_ rate: Int, _ state: inout State) -> Bool {
    rate > 0 && Int.random(in: 0..<1000, using: &state.generator) < rate
  }

  private static func carryOut(_ change: Change, _ state: inout State) {
    switch change {
    case .put(let key, let bytes, let ifAbsent):
      if !ifAbsent || state.objects[key] == nil { state.objects[key] = bytes }
    case .delete(let key): state.objects[key] = nil
    }
  }

  /// Counts a request, and carries out late changes whose time has come.
  private static func begin(_ action: StoreAction, _ state: inout State) {
    state.requests[action, default: 0] += 1
    for place in state.late.indices { state.late[place].wait -= 1 }
    for (change, wait) in state.late where wait <= 0 { carryOut(change, &state) }
    state.late.removeAll { $0.wait <= 0 }
  }

  private func run<Value: Sendable>(
    _ action: StoreAction, _ work: (inout State) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    try state.withLock { state in
      Result { () throws(StoreError) in
        Self.begin(action, &state)
        if Self.happens(state.faults.busy, &state) { throw StoreError.slowDown }
        if Self.happens(state.faults.lostRequest + state.faults.lostReply, &state) { throw StoreError.interrupted }
        return try work(&state)
      }
    }.get()
  }

  private func change(
    _ change: Change, _ action: StoreAction, _ work: (inout State) throws(StoreError) -> Void
  ) throws(StoreError) {
    try state.withLock { state in
      Result { () throws(StoreError) in
        Self.begin(action, &state)
        if Self.happens(state.faults.busy, &state) { throw StoreError.slowDown }
        if Self.happens(state.faults.lostRequest, &state) { throw StoreError.unknownOutcome }
        if Self.happens(state.faults.late, &state) {
          state.late.append((change, Int.random(in: 1...5, using: &state.generator)))
          throw StoreError.unknownOutcome
        }
        try work(&state)
        if Self.happens(state.faults.lostReply, &state) { throw StoreError.unknownOutcome }
      }
    }.get()
  }
}

extension Range<Int> {
  /// The same range of places in an array.
  fileprivate init(_ range: Range<Int64>) { self = Int(clamping: range.lowerBound)..<Int(clamping: range.upperBound) }
}
