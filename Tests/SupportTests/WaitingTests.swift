import Glibc
import Synchronization
import System
import TestSupport
import Testing

/// A wait in a test ends, and says for what.
@Suite struct WaitingTests {
  @Test func whatHappensIsWaitedFor() throws {
    var looks = 0
    try waitUntil("three looks") {
      looks += 1
      return looks == 3
    }
    #expect(looks == 3)
  }

  @Test func whatDoesNotHappenIsNotWaitedForLong() {
    let failure = #expect(throws: DeadlinePassed.self) {
      try waitUntil("the moon fell", within: .milliseconds(20)) { false }
    }
    #expect(failure?.description == "0.02 seconds passed before the moon fell")
  }

  @Test func aThreadThatGoesOnIsNotWaitedForLong() throws {
    let isEnding = Atomic(false)
    let thread = try TestThread { try waitUntil("the test ended") { isEnding.load(ordering: .relaxed) } }
    #expect(throws: DeadlinePassed.self) { try thread.join(within: .milliseconds(20)) }
    isEnding.store(true, ordering: .relaxed)
    try thread.join()
  }

  @Test func aProgramThatGoesOnIsKilled() throws {
    let process = try ChildProcess("/bin/sleep", arguments: ["sleep", "300"], descriptors: [])
    #expect(throws: DeadlinePassed.self) { try process.ending(within: .milliseconds(20)) }
    #expect(Glibc.kill(process.identifier, 0) == -1)
  }

  @Test func whatAThreadThrowsArrives() throws {
    struct Failure: Error, Equatable { var number: Int }
    #expect(throws: Failure(number: 2)) {
      try inThreads(3) { number in if number == 2 { throw Failure(number: number) } }
    }
  }
}
