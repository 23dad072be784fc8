import Guard
import Testing

@Suite struct GuardMachineTests {
  typealias Event = GuardMachine.Event
  typealias Action = GuardMachine.Action

  /// A guard that holds an inhibitor.
  private func onGuard(
    _ causes: Set<LockCause> = Set(LockCause.allCases), locksAtExit: Bool = false
  ) -> GuardMachine {
    var machine = GuardMachine(causes: causes, locksAtExit: locksAtExit)
    #expect(machine.handle(.logindIsThere) == [.askForInhibitor])
    #expect(machine.handle(.inhibitorGiven) == [])
    return machine
  }

  @Test func sleepIsLetGoWhenEverythingIsLockedAndDelayedAgainAfterIt() {
    var machine = onGuard()
    #expect(machine.delayed == [.sleep, .shutdown])
    #expect(machine.handle(.announced(.sleep, true)) == [.lock(.sleep)])
    #expect(machine.isLogindWaiting)
    #expect(machine.handle(.lockEnded(succeeded: true)) == [.releaseInhibitor])
    #expect(!machine.isLogindWaiting)
    #expect(machine.handle(.announced(.sleep, false)) == [.askForInhibitor])
    #expect(machine.handle(.inhibitorGiven) == [])
    #expect(machine.handle(.announced(.shutdown, true)) == [.lock(.shutdown)])
    #expect(machine.handle(.lockEnded(succeeded: true)) == [.releaseInhibitor])
    // It was called off.
    #expect(machine.handle(.announced(.shutdown, false)) == [.askForInhibitor])
  }

  @Test func aLockThatBeganBeforeDoesNotCount() {
    var machine = onGuard()
    #expect(machine.handle(.seen(.lock)) == [.lock(.lock)])
    // One that hangs is not waited for.
    #expect(machine.handle(.announced(.sleep, true)) == [.endIfSlow])
    #expect(machine.handle(.lockEnded(succeeded: true)) == [.lock(.sleep)])
    #expect(machine.handle(.lockEnded(succeeded: true)) == [.releaseInhibitor])
  }

  @Test func whatIsNotLockedIsNotLetGo() {
    var machine = onGuard()
    #expect(machine.handle(.announced(.sleep, true)) == [.lock(.sleep)])
    for _ in 0..<GuardMachine.mostTries {
      #expect(machine.handle(.lockEnded(succeeded: false)) == [.tryLater])
      #expect(machine.handle(.tryAgain) == [.lock(.sleep)])
    }
    #expect(machine.handle(.lockEnded(succeeded: false)) == [.giveUp])
    #expect(machine.handle(.tryAgain) == [])
    // Logind went on by itself; the inhibitor is still good for the next time.
    #expect(machine.handle(.announced(.sleep, false)) == [])
    #expect(machine.handle(.announced(.sleep, true)) == [.lock(.sleep)])
    #expect(machine.handle(.lockEnded(succeeded: false)) == [.tryLater])
    #expect(machine.handle(.tryAgain) == [.lock(.sleep)])
    #expect(machine.handle(.lockEnded(succeeded: true)) == [.releaseInhibitor])
  }

  @Test func aLockThatEndsAfterTheSleepKeepsTheInhibitor() {
    var machine = onGuard()
    #expect(machine.handle(.announced(.sleep, true)) == [.lock(.sleep)])
    #expect(machine.handle(.announced(.sleep, false)) == [])
    #expect(machine.handle(.lockEnded(succeeded: true)) == [])
  }

  @Test func onlyWhatWasChosenLocks() {
    var machine = GuardMachine(causes: [.lock], locksAtExit: false)
    #expect(machine.delayed.isEmpty)
    #expect(machine.handle(.logindIsThere) == [])
    for event in [Event.announced(.sleep, true), .announced(.sleep, false), .seen(.logout), .askAgain] {
      #expect(machine.handle(event) == [])
    }
    #expect(machine.handle(.seen(.lock)) == [.lock(.lock)])
    #expect(GuardMachine(causes: [.shutdown, .logout], locksAtExit: false).delayed == [.shutdown])
  }

  @Test func anInhibitorOfARestartedLogindTakesThePlaceOfTheOldOne() {
    var machine = onGuard()
    #expect(machine.handle(.logindIsThere) == [.askForInhibitor])
    // The sleep comes before the answer.
    #expect(machine.handle(.announced(.sleep, true)) == [.lock(.sleep)])
    #expect(machine.handle(.inhibitorGiven) == [])
    #expect(machine.handle(.lockEnded(succeeded: true)) == [.releaseInhibitor])
  }

  @Test func anInhibitorThatComesAfterTheLockIsReleasedAtOnce() {
    var machine = GuardMachine(causes: [.sleep], locksAtExit: false)
    #expect(machine.handle(.logindIsThere) == [.askForInhibitor])
    #expect(machine.handle(.announced(.sleep, true)) == [.lock(.sleep)])
    #expect(machine.handle(.lockEnded(succeeded: true)) == [])
    #expect(machine.handle(.inhibitorGiven) == [.releaseInhibitor])
  }

  @Test func aRefusedInhibitorIsAskedForAgain() {
    var machine = GuardMachine(causes: [.sleep], locksAtExit: false)
    #expect(machine.handle(.logindIsThere) == [.askForInhibitor])
    #expect(machine.handle(.inhibitorRefused) == [.askLater])
    #expect(machine.handle(.askAgain) == [.askForInhibitor])
    // Once at a time.
    #expect(machine.handle(.askAgain) == [])
    // In the middle of a sleep logind gives none.
    #expect(machine.handle(.announced(.sleep, true)) == [.lock(.sleep)])
    #expect(machine.handle(.inhibitorRefused) == [])
    #expect(machine.handle(.lockEnded(succeeded: true)) == [])
    #expect(machine.handle(.announced(.sleep, false)) == [.askForInhibitor])
  }

  @Test func theEndWaitsForTheLock() {
    var machine = onGuard()
    #expect(machine.handle(.endAsked) == [.end(succeeded: true)])
    machine = onGuard()
    #expect(machine.handle(.seen(.lock)) == [.lock(.lock)])
    #expect(machine.handle(.endAsked) == [])
    #expect(machine.handle(.lockEnded(succeeded: true)) == [.end(succeeded: true)])
    machine = onGuard(locksAtExit: true)
    #expect(machine.handle(.endAsked) == [.lock(nil)])
    #expect(machine.handle(.lockEnded(succeeded: true)) == [.end(succeeded: true)])
    machine = onGuard(locksAtExit: true)
    #expect(machine.handle(.endAsked) == [.lock(nil)])
    for _ in 0..<GuardMachine.mostTries {
      #expect(machine.handle(.lockEnded(succeeded: false)) == [.tryLater])
      #expect(machine.handle(.tryAgain) == [.lock(nil)])
    }
    #expect(machine.handle(.lockEnded(succeeded: false)) == [.giveUp, .end(succeeded: false)])
  }

  @Test func listsOfCauses() {
    #expect(LockCause.list("sleep,lock") == [.sleep, .lock])
    #expect(LockCause.list("logout") == [.logout])
    for text in ["", ",", "sleep,", "sleep, lock", "Sleep", "exit"] { #expect(LockCause.list(text) == nil) }
    #expect(LockCause.text([.logout, .sleep]) == "sleep,logout")
  }

  /// Whatever comes, in whatever order: one lock at a time, and no sleep is let go that was not locked for.
  @Test(arguments: 0..<200) func invariantsHoldInEveryOrder(seed: UInt64) {
    var random = Generator(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
    var machine = GuardMachine(causes: Set(LockCause.allCases), locksAtExit: seed % 2 == 0)
    var isRunning = false
    var asked = 0
    var holds = false
    // Locks that began, by number; the first that counts for what was announced, and the last that succeeded.
    var (began, wanted, succeeded) = (0, 0, 0)
    var announced: Set<LockCause> = []
    var releases = 0
    for _ in 0..<400 {
      var events: [Event] = [
        .logindIsThere, .announced(.sleep, true), .announced(.sleep, false), .announced(.shutdown, true),
        .announced(.shutdown, false), .seen(.lock), .seen(.logout), .tryAgain, .askAgain,
      ]
      if asked > 0 { events += [.inhibitorGiven, .inhibitorGiven, .inhibitorRefused] }
      if isRunning {
        events += [.lockEnded(succeeded: true), .lockEnded(succeeded: true), .lockEnded(succeeded: false)]
      }
      let event = events.randomElement(using: &random) ?? .askAgain
      switch event {
      // A second announcement of the same is none.
      case .announced(let cause, true): if announced.insert(cause).inserted { wanted = began + 1 }
      case .announced(let cause, false): announced.remove(cause)
      case .lockEnded(let isSuccess):
        isRunning = false
        if isSuccess { succeeded = began }
      case .logindIsThere: (asked, announced) = (0, [])
      case .inhibitorGiven: (asked, holds) = (0, true)
      case .inhibitorRefused: asked = 0
      default: break
      }
      for action in machine.handle(event) {
        switch action {
        case .lock:
          #expect(!isRunning)
          isRunning = true
          began += 1
        case .askForInhibitor:
          asked += 1
          #expect(asked == 1)
        case .releaseInhibitor:
          #expect(holds)
          holds = false
          releases += 1
          #expect(!isRunning && succeeded == began && succeeded >= wanted)
        case .endIfSlow: #expect(isRunning)
        case .askLater, .tryLater, .giveUp: break
        case .end: Issue.record("nobody asked for the end")
        }
      }
    }
    #expect(began > 10 && releases > 0)
  }

  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }
}
