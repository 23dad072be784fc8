import Glibc
import Synchronization
import TestSupport
import Testing

@testable import System

/// Two functions at once, or one after another.
@Suite struct ConcurrentlyTests {
  private enum Trouble: Error {
    case one
    case other
  }

  /// Each waits for the other one.
  @Test func bothRunAtOnceAndTheSecondWhereItIsCalled() throws {
    let (first, second) = (Counter(), Counter())
    let caller = pthread_self()
    let found = try concurrently(true) { () throws -> Bool in
      _ = first.next()
      try waitUntil("the second function runs") { second.value > 0 }
      return pthread_self() == caller
    } and: { () throws -> Bool in
      _ = second.next()
      try waitUntil("the first function runs") { first.value > 0 }
      return pthread_self() == caller
    }
    #expect(!found.0 && found.1)
  }

  @Test func otherwiseTheSecondFollowsTheFirst() throws {
    let order = Mutex<[Int]>([])
    let caller = pthread_self()
    let found = try concurrently(false) { () throws(Trouble) -> Bool in
      order.withLock { $0.append(1) }
      return pthread_self() == caller
    } and: { () throws(Trouble) -> Int in
      order.withLock { $0.append(2) }
      return 3
    }
    #expect(found.0 && found.1 == 3)
    #expect(order.withLock { $0 } == [1, 2])
  }

  /// Of two errors the first one counts.
  @Test(arguments: [true, false]) func anErrorIsThrownWhenBothHaveEnded(atOnce: Bool) {
    let ended = Counter()
    #expect(throws: Trouble.one) {
      try concurrently(atOnce) { () throws(Trouble) -> Void in
        throw .one
      } and: { () throws(Trouble) -> Void in
        _ = ended.next()
        throw .other
      }
    }
    #expect(ended.value == (atOnce ? 1 : 0))
    #expect(throws: Trouble.other) {
      try concurrently(atOnce) { () throws(Trouble) -> Void in
        usleep(10_000)
        _ = ended.next()
      } and: { () throws(Trouble) -> Void in
        throw .other
      }
    }
    #expect(ended.value == (atOnce ? 2 : 1))
  }
}
