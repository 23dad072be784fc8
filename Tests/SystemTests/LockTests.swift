import Glibc
import TestSupport
import Testing

@testable import System

@Suite struct LockTests {
  /// A number behind a lock, and who waits for it.
  private final class Box: @unchecked Sendable {
    let lock = Lock()
    let filled: Condition
    let emptied: Condition
    var number = 0

    init() {
      filled = Condition(of: lock)
      emptied = Condition(of: lock)
    }
  }

  @Test func threadsTakeTurnsByTwoConditions() throws {
    let box = Box()
    let deadline = monotonicTime() + 120_000_000_000
    let filler = try Thread {
      for _ in 0..<500 {
        box.lock.lock()
        while box.number > 0, box.emptied.wait(until: deadline) {}
        box.number += 1
        box.filled.signal()
        box.lock.unlock()
      }
    }
    for _ in 0..<500 {
      box.lock.lock()
      while box.number == 0, box.filled.wait(until: deadline) {}
      #expect(box.number == 1)
      box.number -= 1
      box.emptied.broadcast()
      box.lock.unlock()
    }
    filler.join()
    #expect(box.lock.withLock { box.number } == 0)
  }

  @Test func aWaitEndsAtItsDeadlineWithTheLockHeld() {
    let lock = Lock()
    let condition = Condition(of: lock)
    lock.lock()
    let deadline = monotonicTime() + 20_000_000
    while condition.wait(until: deadline) {}
    lock.assertHeld()
    // The deadline is on the precise clock, which is ahead of the one that is cheap to read by a tick at most.
    #expect(monotonicTime() + 10_000_000 >= deadline)
    #expect(!condition.wait(until: 0))
    lock.unlock()
    lock.assertNotHeld()
  }

  @Test func anErrorGivesTheLockBack() {
    struct Failure: Error {}
    let lock = Lock()
    #expect(throws: Failure.self) { try lock.withLock { throw Failure() } }
    lock.assertNotHeld()
  }

  /// A wait for a condition of the lock itself gives it back, and what its holder waits for afterwards is its own affair.
  @Test func aLockThatExcludesWaitingMayBeWaitedFor() {
    let lock = Lock(excluding: .waiting)
    let condition = Condition(of: lock)
    lock.withLock { while condition.wait(until: 0) {} }
    Waiting.assertAllowed()
    lock.assertNotHeld()
  }

  #if DEBUG
    @Test(
      arguments: [
        "take-twice", "give-back-anothers", "wait-without", "assert-held", "assert-not-held", "wait-for-another",
        "read-with-lock", "join-with-lock",
      ])
    func aDebugBuildTrapsWhen(attempt: String) throws {
      let process = try ChildProcess(
        "/usr/bin/env", arguments: ["env", "SWIFT_BACKTRACE=enable=no", builtProgram("system-attempts"), attempt],
        descriptors: [])
      let ending = try process.ending()
      #expect(ending == .killed(SIGILL) || ending == .killed(SIGTRAP))
    }
  #endif
}
