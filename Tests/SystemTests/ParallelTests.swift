import Glibc
import Synchronization
import Testing

@testable import System

@Suite struct ParallelTests {
  @Test(arguments: [0, 1, 2, 8]) func outcomesHaveTheOrderOfTheItems(_ threads: Int) {
    let items = Array(0..<1000)
    let taken = Mutex<[Int]>([])
    let outcomes = Parallel(threads: threads).map(items) { item -> String? in
      taken.withLock { $0.append(item) }
      return item.isMultiple(of: 3) ? nil : "\(item)"
    }
    let expected = items.map { item -> String? in item.isMultiple(of: 3) ? nil : "\(item)" }
    #expect(outcomes == expected)
    #expect(taken.withLock { $0.sorted() } == items)
  }

  @Test func nothingIsNothing() {
    #expect(Parallel(threads: 8).map([Int]()) { $0 } == [])
  }

  /// What `body` gives in each of three threads. With fewer threads the first item would wait for ever.
  private static func inThree<Outcome: Sendable>(_ body: @escaping @Sendable (Int) -> Outcome) -> [Outcome] {
    let lock = Lock()
    let changed = Condition(of: lock)
    let meeting = Mutex(0)
    return Parallel(threads: 3).map([0, 1, 2]) { item -> Outcome in
      lock.lock()
      defer { lock.unlock() }
      meeting.withLock { $0 += 1 }
      changed.broadcast()
      while meeting.withLock({ $0 }) < 3 { changed.wait() }
      return body(item)
    }
  }

  @Test func itemsAreWorkedOnAtTheSameTime() {
    #expect(Self.inThree { $0 } == [0, 1, 2])
  }

  private static func niceness() -> CInt { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

  /// Each is ten lower than the calling thread, also where that one gives way already. That one stays as it is.
  @Test func helpersGiveWayToWhoCalls() throws {
    let found = Mutex<(own: CInt, after: CInt, each: [CInt])>((0, 0, []))
    try Thread {
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
      let own = Self.niceness()
      let each = Self.inThree { _ in Self.niceness() }
      let after = Self.niceness()
      found.withLock { $0 = (own, after, each) }
    }.join()
    let (own, after, each) = found.withLock { $0 }
    let helper = min(19, own + 10)
    #expect(own == after && each.sorted() == [own, helper, helper])
  }

  @Test func thereIsAThreadForEachProcessorButNotMoreThanEight() {
    #expect((1...8).contains(Parallel.usual.threads))
    #expect(Parallel.none.threads == 1 && Parallel(threads: -1).threads == 1)
  }
}
