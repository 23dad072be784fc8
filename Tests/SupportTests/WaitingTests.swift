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

  @Test func aLoopThatDoesNotEndIsEnded() {
    var count = 0
    let failure = #expect(throws: RoundsPassed.self) {
      var rounds = Rounds(until: "the moon fell", limit: 3)
      while true {
        try rounds.begin()
        count += 1
      }
    }
    #expect(failure?.description == "3 rounds passed before the moon fell")
    #expect(count == 3)
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

  /// Several threads have one deadline together.
  @Test func threadsThatGoOnAreNotWaitedForLong() throws {
    let isEnding = Atomic(false)
    let ended = Atomic(0)
    let start = monotonicTime()
    #expect(throws: DeadlinePassed.self) {
      try inThreads(5, within: .milliseconds(200)) { _ in
        try waitUntil("the test ended") { isEnding.load(ordering: .relaxed) }
        ended.add(1, ordering: .relaxed)
      }
    }
    #expect(monotonicTime() - start >= 200_000_000)
    isEnding.store(true, ordering: .relaxed)
    try waitUntil("all threads ended") { ended.load(ordering: .relaxed) == 5 }
  }

  @Test func whatAThreadThrowsArrives() throws {
    struct Failure: Error, Equatable { var number: Int }
    #expect(throws: Failure(number: 2)) {
      try inThreads(3) { number in if number == 2 { throw Failure(number: number) } }
    }
  }
}
