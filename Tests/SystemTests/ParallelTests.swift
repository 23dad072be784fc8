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

  /// With one thread the first item would wait for ever.
  @Test func itemsAreWorkedOnAtTheSameTime() {
    let lock = Lock()
    let changed = Condition(of: lock)
    let meeting = Mutex(0)
    let met = Parallel(threads: 3).map([0, 1, 2]) { _ -> Bool in
      lock.lock()
      defer { lock.unlock() }
      meeting.withLock { $0 += 1 }
      changed.broadcast()
      while meeting.withLock({ $0 }) < 3 { changed.wait() }
      return true
    }
    #expect(met == [true, true, true])
  }

  @Test func thereIsAThreadForEachProcessorButNotMoreThanEight() {
    #expect((1...8).contains(Parallel.usual.threads))
    #expect(Parallel.none.threads == 1 && Parallel(threads: -1).threads == 1)
  }
}
