import Synchronization
import TestSupport
import Testing

@testable import Mount

@Suite struct LeaderFollowersTests {
  private static let threads = 8

  /// As many requests come at once as there are threads, and none is answered before all are taken. So each found a
  /// thread. If they pass for small ones, only the watchdog can see to that.
  @Test(arguments: [1, 3], [false, true]) func everyRequestFindsAThread(limit: Int, areSmall: Bool) throws {
    let requests = Requests()
    let group = LeaderFollowers(limit: limit, patience: 0)
    let workers = try Workers(count: Self.threads, group, requests, areSmall: areSmall)
    for round in 1...50 {
      for _ in 0..<Self.threads { requests.send() }
      try requests.waitUntilTaken(round * Self.threads)
      requests.answerAll(through: round * Self.threads)
    }
    group.end()
    for _ in 0..<Self.threads { requests.close() }
    try workers.join()
    #expect(group.counts.followers == 0)
    #expect(requests.takenCount == 50 * Self.threads)
  }

  @Test func noMoreThanTheLimitLead() throws {
    let requests = Requests()
    let group = LeaderFollowers(limit: 2)
    let workers = try Workers(count: Self.threads, group, requests)
    try waitUntil("all threads lead or follow") { group.counts.leaders + group.counts.followers == Self.threads }
    #expect(group.counts == (2, Self.threads - 2))
    group.end()
    #expect(group.counts == (Self.threads, 0))
    for _ in 0..<Self.threads { requests.close() }
    try workers.join()
    #expect(group.counts == (0, 0))
  }

  @Test func whoKeepsTheLeadershipLeadsAgainUnlessItWasPassedOn() throws {
    let requests = Requests()
    let group = LeaderFollowers(limit: 1, patience: 0)
    group.lead()
    let workers = try Workers(count: 1, group, requests)
    try waitUntil("a thread follows") { group.counts.followers == 1 }
    group.expectWatchdog()
    // Nobody watches yet, so nothing is passed on, however slow the machine is.
    let first = try #require(group.keep())
    #expect(group.counts == (0, 1))
    #expect(group.resume(first))
    #expect(!group.resume(first))
    #expect(group.counts == (1, 1))
    let second = try #require(group.keep())
    try workers.watch()
    try waitUntil("the watchdog passed the leadership on") { group.counts == (1, 0) }
    #expect(!group.resume(second))
    group.end()
    requests.close()
    try workers.join()
    #expect(group.counts == (0, 0))
  }

  @Test func withoutAWatchdogNobodyKeepsTheLeadership() throws {
    let requests = Requests()
    let group = LeaderFollowers(limit: 1, patience: 0)
    group.lead()
    let workers = try Workers(count: 1, group, requests)
    try waitUntil("a thread follows") { group.counts.followers == 1 }
    #expect(group.keep() == nil)
    group.end()
    requests.close()
    try workers.join()
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

    /// Waits for a request, and returns its number; nil at the end.
    func take() throws -> Int? {
      var taken: Int?
      try waitUntil("a request comes") {
        state.withLock { state in
          if state.waiting > 0 {
            state.waiting -= 1
            state.taken += 1
            taken = state.taken
            return true
          }
          if state.closed > 0 {
            state.closed -= 1
            return true
          }
          return false
        }
      }
      return taken
    }

    func waitUntilTaken(_ count: Int) throws {
      try waitUntil("\(count) requests are taken") { takenCount >= count }
    }

    func answerAll(through number: Int) { state.withLock { $0.answered = number } }

    func waitForAnswer(_ number: Int) throws {
      try waitUntil("request \(number) is answered") { state.withLock { $0.answered >= number } }
    }
  }

  /// Threads that serve requests as those of a session do.
  private final class Workers {
    private final class Shared: Sendable {
      let group: LeaderFollowers
      let requests: Requests
      let areSmall: Bool
      init(_ group: LeaderFollowers, _ requests: Requests, areSmall: Bool) {
        self.group = group
        self.requests = requests
        self.areSmall = areSmall
      }

      func serve() throws {
        var leads = false
        while true {
          if !leads { group.lead() }
          leads = false
          let request = try requests.take()
          var leadership: LeaderFollowers.Leadership?
          if areSmall, request != nil { leadership = group.keep() } else { group.resign() }
          guard let request else { return }
          try requests.waitForAnswer(request)
          if let leadership { leads = group.resume(leadership) }
        }
      }
    }

    private let shared: Shared
    private var threads: [TestThread] = []

    init(count: Int, _ group: LeaderFollowers, _ requests: Requests, areSmall: Bool = false) throws {
      shared = Shared(group, requests, areSmall: areSmall)
      for _ in 0..<count { threads.append(try TestThread { [shared] in try shared.serve() }) }
      if areSmall {
        group.expectWatchdog()
        try watch()
      }
    }

    /// Starts the watchdog's thread.
    func watch() throws { threads.append(try TestThread { [shared] in shared.group.watch() }) }

    func join() throws {
      for thread in threads { try thread.join() }
      threads = []
    }
  }
}
