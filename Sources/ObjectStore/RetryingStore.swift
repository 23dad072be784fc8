internal import Synchronization

/// A store whose temporary failures are waited out.
///
/// 1. An operation is attempted until it succeeds, fails for good, or its patience has passed since it began.
/// 2. After an attempt whose outcome is unknown, `put` looks whether the object has its bytes before it writes them
///    again, and `.alreadyThere` of a store is believed only if the object has other bytes: the transport may have sent
///    a request twice.
/// 3. Until the store has answered once, an operation may have less patience: its address may be wrong.
/// 4. A change of which one attempt had an unknown outcome fails only as `.unknownOutcome` or `.alreadyThere`, whatever
///    its last attempt said.
package final class RetryingStore: ObjectStore {
  /// How to wait. Tests have a clock of their own.
  package struct Waiting: Sendable {
    /// Nanoseconds of a clock that only moves forward.
    let now: @Sendable () -> UInt64
    /// Waits. False if nothing shall be attempted any more.
    let wait: @Sendable (Duration) -> Bool

    /// Waits by a clock.
    package init(now: @escaping @Sendable () -> UInt64, wait: @escaping @Sendable (Duration) -> Bool) {
      self.now = now
      self.wait = wait
    }
  }

  private let store: any ObjectStore
  private let patience: Duration
  private let firstPatience: Duration
  private let waiting: Waiting
  private let nextSeed: Mutex<UInt64>
  private let answered = Atomic(false)

  /// - Parameters:
  ///   - store: makes one attempt for each call.
  ///   - patience: how long an operation goes on after its beginning. An attempt that has begun may take longer.
  ///   - firstPatience: how long until the store has answered once; nil for as long as later.
  ///   - seed: of the jitter of all waits.
  package init(
    _ store: any ObjectStore, patience: Duration, firstPatience: Duration? = nil, seed: UInt64, waiting: Waiting
  ) {
    self.store = store
    self.patience = patience
    self.firstPatience = firstPatience ?? patience
    self.waiting = waiting
    nextSeed = Mutex(seed)
  }

  /// Whether an operation has succeeded, or the store has said that it is busy.
  package var hasAnswered: Bool { answered.load(ordering: .relaxed) }

  package func list(prefix: String, after: String?) throws(StoreError) -> ObjectPage {
    try retry { () throws(StoreError) in try store.list(prefix: prefix, after: after) }
  }

  package func head(_ key: ObjectKey) throws(StoreError) -> ObjectEntry {
    try retry { () throws(StoreError) in try store.head(key) }
  }

  package func get(_ key: ObjectKey, range: Range<Int64>?) throws(StoreError) -> [UInt8] {
    try retry { () throws(StoreError) in try store.get(key, range: range) }
  }

  package func put(_ key: ObjectKey, _ content: HashedContent, ifAbsent: Bool) throws(StoreError) {
    var isUnknown = false
    do throws(StoreError) {
      try retry { () throws(StoreError) in
        if isUnknown, try isThere(key, content, mustBeSame: ifAbsent) { return }
        do throws(StoreError) {
          try store.put(key, content, ifAbsent: ifAbsent)
        } catch .alreadyThere {
          isUnknown = true
          // The object was deleted in between, or the store shows it late.
          guard try isThere(key, content, mustBeSame: true) else { throw .unknownOutcome }
        } catch .unknownOutcome {
          isUnknown = true
          throw .unknownOutcome
        }
      }
    } catch {
      throw isUnknown && error != .alreadyThere ? .unknownOutcome : error
    }
  }

  package func delete(_ key: ObjectKey) throws(StoreError) {
    var isUnknown = false
    do throws(StoreError) {
      try retry { () throws(StoreError) in
        do throws(StoreError) {
          try store.delete(key)
        } catch .unknownOutcome {
          isUnknown = true
          throw .unknownOutcome
        }
      }
    } catch {
      throw isUnknown ? .unknownOutcome : error
    }
  }

  /// Whether the object has these bytes.
  ///
  /// - Throws: `.alreadyThere` if it has others and they must be the same.
  private func isThere(_ key: ObjectKey, _ content: HashedContent, mustBeSame: Bool) throws(StoreError) -> Bool {
    switch try ObjectComparison.of(key, content, in: store) {
    case .same: return true
    case .absent: return false
    case .other:
      if mustBeSame { throw .alreadyThere }
      return false
    }
  }

  /// Attempts something else in the same way.
  ///
  /// - Parameters:
  ///   - most: less patience than usual.
  ///   - isAnswer: whether success shows that the store has answered, and not only something in its place.
  package func retry<Value>(
    atMost most: Duration? = nil, isAnswer: Bool = true, _ attempt: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let begun = waiting.now()
    var backoff = Backoff(
      seed: nextSeed.withLock { seed in
        seed &+= 1
        return seed
      })
    while true {
      do throws(StoreError) {
        let value = try attempt()
        if isAnswer { answered.store(true, ordering: .relaxed) }
        return value
      } catch {
        if error == .slowDown { answered.store(true, ordering: .relaxed) }
        let patience = hasAnswered ? self.patience : min(firstPatience, self.patience)
        let limit = min(most ?? patience, patience)
        guard error.isTemporary, waiting.now() - begun < UInt64(limit / .nanoseconds(1)),
          waiting.wait(backoff.next())
        else { throw error }
      }
    }
  }
}
