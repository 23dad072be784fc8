import Glibc
import Synchronization
import System
import Testing

@testable import Mount

@Suite struct WaitingLineTests {
  private static let threads = 8

  /// As many requests come at once as there are threads, and none is answered before all are taken: so each must have found a thread. Where they
  /// are taken to be small, only the watch can see to that.
  @Test(arguments: [1, 3], [false, true]) func everyRequestFindsAThread(limit: Int, areSmall: Bool) throws {
    let requests = Requests()
    let line = WaitingLine(limit: limit, patience: 0)
    let workers = try Workers(count: Self.threads, line, requests, areSmall: areSmall)
    for round in 1...50 {
      for _ in 0..<Self.threads { requests.send() }
      requests.waitUntilTaken(round * Self.threads)
      requests.answerAll(through: round * Self.threads)
    }
    line.end()
    for _ in 0..<Self.threads { requests.close() }
    workers.join()
    #expect(line.counts.resting == 0)
    #expect(requests.takenCount == 50 * Self.threads)
  }

  @Test func noMoreThanTheLimitWait() throws {
    let requests = Requests()
    let line = WaitingLine(limit: 2)
    let workers = try Workers(count: Self.threads, line, requests)
    // All threads get to the line in the end.
    while line.counts.waiting + line.counts.resting < Self.threads { usleep(50) }
    #expect(line.counts == (2, Self.threads - 2))
    line.end()
    #expect(line.counts == (Self.threads, 0))
    for _ in 0..<Self.threads { requests.close() }
    workers.join()
    #expect(line.counts == (0, 0))
  }

  @Test func whoHoldsTheLineGoesOnUnlessItWasTaken() throws {
    let requests = Requests()
    let line = WaitingLine(limit: 1, patience: 0)
    line.enter()
    let workers = try Workers(count: 1, line, requests)
    while line.counts.resting == 0 { usleep(50) }
    line.expectWatch()
    // Nobody watches yet, so that nothing is taken however slow the machine is.
    let first = try #require(line.hold())
    #expect(line.counts == (0, 1))
    #expect(line.resume(first))
    #expect(!line.resume(first))
    #expect(line.counts == (1, 1))
    let second = try #require(line.hold())
    try workers.watch()
    while line.counts != (1, 0) { usleep(50) }
    #expect(!line.resume(second))
    line.end()
    requests.close()
    workers.join()
    #expect(line.counts == (0, 0))
  }

  @Test func withoutAWatchNobodyHoldsTheLine() throws {
    let requests = Requests()
    let line = WaitingLine(limit: 1, patience: 0)
    line.enter()
    let workers = try Workers(count: 1, line, requests)
    while line.counts.resting == 0 { usleep(50) }
    #expect(line.hold() == nil)
    line.end()
    requests.close()
    workers.join()
  }

  /// Requests in place of the kernel's.
  private final class Requests: Sendable {
    private struct State {
      var waiting = 0
      var closed = 0
      var taken = 0
      var answered = 0
    }
    private let state = Mutex(State())

    var takenCount: Int { state.withLock { $0.taken } }

    func send() { state.withLock { $0.waiting += 1 } }

    /// Ends the thread that takes it.
    func close() { state.withLock { $0.closed += 1 } }

    /// The number of a request; nil at the end.
    func take() -> Int? {
      while true {
        let (number, isOver) = state.withLock { state -> (Int?, Bool) in
          if state.waiting > 0 {
            state.waiting -= 1
            state.taken += 1
            return (state.taken, false)
          }
          if state.closed > 0 {
            state.closed -= 1
            return (nil, true)
          }
          return (nil, false)
        }
        if let number { return number }
        if isOver { return nil }
        usleep(50)
      }
    }

    func waitUntilTaken(_ count: Int) {
      while takenCount < count { usleep(50) }
    }

    func answerAll(through number: Int) { state.withLock { $0.answered = number } }

    func waitForAnswer(_ number: Int) {
      while state.withLock({ $0.answered < number }) { usleep(50) }
    }
  }

  /// Threads that serve them as those of a session do.
  private final class Workers {
    private final class Shared: Sendable {
      let line: WaitingLine
      let requests: Requests
      let areSmall: Bool
      init(_ line: WaitingLine, _ requests: Requests, areSmall: Bool) {
        self.line = line
        self.requests = requests
        self.areSmall = areSmall
      }

      func serve() {
        var waits = false
        while true {
          if !waits { line.enter() }
          waits = false
          let request = requests.take()
          var hold: WaitingLine.Hold?
          if areSmall, request != nil { hold = line.hold() } else { line.leave() }
          guard let request else { return }
          requests.waitForAnswer(request)
          if let hold { waits = line.resume(hold) }
        }
      }
    }

    private let shared: Shared
    private var threads: [Thread] = []

    init(count: Int, _ line: WaitingLine, _ requests: Requests, areSmall: Bool = false) throws {
      shared = Shared(line, requests, areSmall: areSmall)
      for _ in 0..<count { threads.append(try Thread { [shared] in shared.serve() }) }
      if areSmall {
        line.expectWatch()
        try watch()
      }
    }

    /// Starts the thread that watches.
    func watch() throws { threads.append(try Thread { [shared] in shared.line.watch() }) }

    func join() {
      for thread in threads { thread.join() }
      threads = []
    }
  }
}
