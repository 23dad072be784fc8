import Glibc
import Synchronization
import System
import Testing

@testable import Library

/// Many questions at once.
@Suite struct QuestionTurnsTests {
  @Test func eachPartComesInTheOrderInWhichItWasAskedFor() throws {
    let turns = QuestionTurns()
    let order = Mutex<[Int]>([])
    let threads = Mutex<[Thread]>([])
    // Each is begun while the one before has its turn or waits for it.
    try turns.take {
      for number in 0..<8 {
        let before = turns.waiting
        let thread = try Thread { turns.take { order.withLock { $0.append(number) } } }
        threads.withLock { $0.append(thread) }
        while turns.waiting == before { usleep(1000) }
      }
      #expect(order.withLock { $0.isEmpty })
    }
    for thread in threads.withLock({ $0 }) { thread.join() }
    #expect(order.withLock { $0 } == Array(0..<8))
  }

  @Test func oneHasItsTurnAtATimeAndAFailureEndsIt() throws {
    struct Failure: Error {}
    let turns = QuestionTurns()
    let running = Atomic<Int>(0)
    let most = Atomic<Int>(0)
    let threads = try (0..<6).map { number in
      try Thread {
        for _ in 0..<200 {
          try? turns.take {
            let now = running.add(1, ordering: .relaxed).newValue
            if now > most.load(ordering: .relaxed) { most.store(now, ordering: .relaxed) }
            sched_yield()
            running.subtract(1, ordering: .relaxed)
            if number % 2 == 0 { throw Failure() }
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(most.load(ordering: .relaxed) == 1)
    #expect(turns.waiting == 0)
  }
}
