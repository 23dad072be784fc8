import FaultyObjects
import ObjectStore
import Synchronization
import TestSupport
import Testing

/// What comes of operations at a store with faults, with a clock that only waits move.
@Suite struct RetryingStoreTests {
  private final class TestClock: Sendable {
    private let nanoseconds = Mutex<UInt64>(0)
    private let waits = Mutex<[Duration]>([])

    var all: [Duration] { waits.withLock { $0 } }

    func waiting(stopsAfter most: Int = .max) -> RetryingStore.Waiting {
      RetryingStore.Waiting(
        now: { self.nanoseconds.withLock { $0 } },
        wait: { time in
          self.waits.withLock { $0.append(time) }
          self.nanoseconds.withLock { $0 += UInt64(time / .nanoseconds(1)) }
          return self.all.count <= most
        })
    }
  }

  private func retrying(
    _ store: any ObjectStore, patience: Duration = .seconds(3600), seed: UInt64 = 1, clock: TestClock = TestClock()
  ) -> RetryingStore {
    RetryingStore(store, patience: patience, seed: seed, waiting: clock.waiting())
  }

  @Test func waitsGrowAndHaveJitter() {
    func waits(_ seed: UInt64) -> [Duration] {
      var backoff = Backoff(seed: seed)
      return (0..<12).map { _ in backoff.next() }
    }
    #expect(waits(1) == waits(1) && waits(1) != waits(2))
    for (number, wait) in waits(3).enumerated() {
      let bound = min(Backoff.first * (1 << number), Backoff.longest)
      #expect(wait >= bound / 2 && wait <= bound)
    }
  }

  @Test func aBusyStoreIsWaitedFor() throws {
    var faults = ObjectFaults()
    faults.busy = 900
    let store = retrying(MemoryStore(seed: 3, faults: faults))
    try store.put(key("a"), [1, 2], ifAbsent: true)
    #expect(try store.get(key("a"), range: nil) == [1, 2])
    #expect(try store.head(key("a")).size == 2)
    #expect(try store.list(prefix: "", after: nil).entries.count == 1)
    try store.delete(key("a"))
  }

  @Test func patienceEnds() {
    var faults = ObjectFaults()
    faults.busy = 1000
    let memory = MemoryStore(faults: faults)
    let clock = TestClock()
    let store = retrying(memory, patience: .seconds(60), clock: clock)
    #expect(throws: StoreError.slowDown) { try store.put(key("a"), [1], ifAbsent: true) }
    // About a dozen attempts in a minute, not hundreds.
    #expect((5...20).contains(memory.requests(.put)))
    #expect(clock.all.reduce(.zero, +) < .seconds(85))
  }

  /// That a store is busy is an answer.
  @Test func aStoreThatHasNeverAnsweredIsWaitedForALittle() throws {
    var lost = ObjectFaults()
    lost.lostRequest = 1000
    var busy = ObjectFaults()
    busy.busy = 1000
    for isBusy in [false, true] {
      let (memory, clock) = (MemoryStore(faults: isBusy ? busy : lost), TestClock())
      let store = RetryingStore(
        memory, patience: .seconds(3600), firstPatience: .seconds(10), seed: 1, waiting: clock.waiting())
      #expect(throws: isBusy ? StoreError.slowDown : .interrupted) { try store.list(prefix: "", after: nil) }
      #expect(store.hasAnswered == isBusy)
      let begun = clock.all.reduce(.zero, +)
      #expect(begun > (isBusy ? Duration.seconds(3000) : .seconds(5)))
      #expect(isBusy || begun < .seconds(35))
      memory.setFaults(ObjectFaults())
      #expect(try store.list(prefix: "", after: nil).entries.isEmpty)
      #expect(store.hasAnswered)
      memory.setFaults(lost)
      #expect(throws: StoreError.interrupted) { try store.list(prefix: "", after: nil) }
      #expect(clock.all.reduce(.zero, +) - begun > .seconds(3000))
    }
  }

  @Test func aStopEndsTheWait() {
    var faults = ObjectFaults()
    faults.busy = 1000
    let memory = MemoryStore(faults: faults)
    let store = RetryingStore(
      memory, patience: .seconds(3600), seed: 1, waiting: TestClock().waiting(stopsAfter: 2))
    #expect(throws: StoreError.slowDown) { try store.head(key("a")) }
    #expect(memory.requests(.head) == 3)
  }

  @Test func otherFailuresAreNotRepeated() {
    let memory = MemoryStore()
    memory.setQuota(1)
    let store = retrying(memory)
    #expect(throws: StoreError.quota) { try store.put(key("a"), [1, 2], ifAbsent: true) }
    #expect(throws: StoreError.notFound) { try store.get(key("a"), range: nil) }
    #expect(memory.requests(.put) == 1 && memory.requests(.get) == 1)
  }

  @Test func aLostReplyIsLookedUp() throws {
    var faults = ObjectFaults()
    faults.lostReply = 1000
    let memory = MemoryStore(faults: faults)
    let store = retrying(memory, patience: .seconds(5))
    // Nothing can be looked up either, so it stays unknown.
    #expect(throws: StoreError.unknownOutcome) { try store.put(key("a"), [1], ifAbsent: true) }
    memory.setFaults(ObjectFaults())
    try store.put(key("a"), [1], ifAbsent: true)
    #expect(throws: StoreError.alreadyThere) { try store.put(key("a"), [2], ifAbsent: true) }
    #expect(memory.objects[key("a")] == [1])
  }

  @Test func anUnknownOutcomeStaysOneWhateverFollows() {
    let memory = OneLoss()
    let store = retrying(memory)
    #expect(throws: StoreError.unknownOutcome) { try store.put(key("a"), [1], ifAbsent: true) }
    #expect(throws: StoreError.unknownOutcome) { try store.delete(key("a")) }
  }

  /// Of several writers with different bytes one wins, and each learns the truth.
  @Test(arguments: TestLength.seedArguments(40)) func oneWriterWins(seed: UInt64) throws {
    let memory = MemoryStore(seed: seed, faults: .all(200))
    var generator = SplitMix64(seed: seed)
    for name in 0..<10 {
      var winners: [[UInt8]] = []
      for writer in 0..<4 as Range<UInt8> {
        let bytes = [writer] + (0..<20).map { _ in UInt8.random(in: 0...255, using: &generator) }
        do throws(StoreError) {
          try retrying(memory, seed: seed + UInt64(writer)).put(key("k\(name)"), bytes, ifAbsent: true)
          winners.append(bytes)
        } catch {
          #expect(error == .alreadyThere)
        }
      }
      #expect(winners.count <= 1)
      memory.setFaults(.all(200))
      if let winner = winners.first { #expect(memory.objects[key("k\(name)")] == winner) }
      // Without a winner, an earlier attempt of a loser is there: it came late.
      #expect(memory.objects[key("k\(name)")] != nil)
    }
  }

  @Test(arguments: TestLength.seedArguments(40)) func objectsReplaceEachOther(seed: UInt64) throws {
    let memory = MemoryStore(seed: seed)
    var faults = ObjectFaults.all(200)
    // A late change may undo one that was confirmed after it: callers never replace objects that matter.
    faults.late = 0
    memory.setFaults(faults)
    let store = retrying(memory, seed: seed)
    for number in 0..<20 as Range<UInt8> {
      // Several bits differ, since a fault flips one.
      try store.put(key("a"), [number, number, number], ifAbsent: false)
      #expect(memory.objects[key("a")] == [number, number, number])
    }
    try store.delete(key("a"))
    #expect(memory.objects.isEmpty)
  }
}

/// Each change is lost once and then refused.
private final class OneLoss: ObjectStore {
  private let wasLost = Mutex<Set<StoreAction>>([])

  func list(prefix: String, after: String?) throws(StoreError) -> ObjectPage { throw .notFound }
  func head(_ key: ObjectKey) throws(StoreError) -> ObjectEntry { throw .notFound }
  func get(_ key: ObjectKey, range: Range<Int64>?) throws(StoreError) -> [UInt8] { throw .notFound }
  func put(_ key: ObjectKey, _ content: HashedContent, ifAbsent: Bool) throws(StoreError) { throw failure(.put) }
  func delete(_ key: ObjectKey) throws(StoreError) { throw failure(.delete) }

  private func failure(_ action: StoreAction) -> StoreError {
    wasLost.withLock { $0.insert(action).inserted } ? .unknownOutcome : .denied(action)
  }
}
