// Which threads wait for requests, and which rest. The kernel hands requests to those that wait in turn, so with many of them each request
// is served with stacks and buffers that left the processor's cache long ago. And to wake a thread takes longer than to answer a small request. So
// a thread that got one, after many small ones, holds the line, alone, and looks for the next one itself when it has answered. Should it not come back, because what
// looked small waits for something, a watch gives the line to another.
//
// Invariants:
// 1. While a thread rests, another waits for requests, or was woken to do so, or holds the line while the watch looks on: no request lies longer
//    than two ticks of the watch.
// 2. Whoever wakes a thread counts it among those that wait. Whoever holds the line is not among them.
// 3. The watch sleeps while nobody holds the line.

internal import Glibc
internal import Synchronization

/// Keeps few threads waiting for requests while others rest, and wakes one when the last of them got something to do that takes long.
@safe final class WaitingLine: @unchecked Sendable {
  /// What a thread holds the line for.
  struct Hold: Equatable {
    fileprivate let number: UInt64
  }

  fileprivate struct State {
    var waiting = 0
    var resting = 0
    var isOver = false
    /// Small requests since the last one that was not.
    var smallInARow = 0
    /// The number of what the line is held for; 0 when nobody holds it.
    var held: UInt64 = 0
    /// The newest number.
    var last: UInt64 = 0
    /// What the line was held for at the last tick.
    var seen: UInt64 = 0
    /// Whether the watch is awake.
    var isWatched = false
    /// Whether there is a watch.
    var mayHold = false
  }

  /// How long something may hold the line, in microseconds; at most twice as long.
  private static let tick: UInt32 = 500
  /// After so many ticks without anything to watch the watch sleeps.
  private static let idleTicks = 20

  private let limit: Int
  private let patience: Int
  private let state = Mutex(State())
  /// Where threads rest.
  private let rest: UnsafeMutablePointer<sem_t>
  /// Where the watch sleeps.
  private let alarm: UnsafeMutablePointer<sem_t>

  /// A line in which at most `limit` threads wait, at least one; after more than `patience` small requests in a row, one.
  init(limit: Int, patience: Int = 16) {
    self.limit = max(1, limit)
    self.patience = patience
    unsafe rest = .allocate(capacity: 1)
    unsafe rest.initialize(to: sem_t())
    unsafe sem_init(rest, 0, 0)
    unsafe alarm = .allocate(capacity: 1)
    unsafe alarm.initialize(to: sem_t())
    unsafe sem_init(alarm, 0, 0)
  }

  deinit {
    unsafe sem_destroy(alarm)
    unsafe alarm.deallocate()
    unsafe sem_destroy(rest)
    unsafe rest.deallocate()
  }

  /// How many threads wait for requests, and how many rest.
  var counts: (waiting: Int, resting: Int) { state.withLock { ($0.waiting, $0.resting) } }

  /// Returns when the calling thread is to wait for a request; before it does so, neither `leave()` nor `hold()` may be called.
  func enter() {
    let rests = state.withLock { state in
      let others = state.waiting + (state.held == 0 ? 0 : 1)
      let rests = !state.isOver && others >= (state.smallInARow > patience ? 1 : limit)
      if rests { state.resting += 1 } else { state.waiting += 1 }
      return rests
    }
    guard rests else { return }
    // A signal may interrupt it.
    while unsafe sem_wait(rest) != 0 {}
  }

  /// Says that the calling thread waits no more.
  func leave() {
    let wakes = state.withLock { state in
      state.waiting -= 1
      state.smallInARow = 0
      return state.wakeOne()
    }
    if wakes { unsafe sem_post(rest) }
  }

  /// The same, for something that will not take long; nil when the line is not held, because others wait, or most of what comes takes long.
  func hold() -> Hold? {
    let (hold, starts, wakes) = state.withLock { state -> (Hold?, Bool, Bool) in
      state.waiting -= 1
      state.smallInARow += 1
      guard state.smallInARow > patience, state.mayHold else { return (nil, false, state.wakeOne()) }
      guard state.waiting == 0, state.held == 0, state.resting > 0 else { return (nil, false, false) }
      state.last += 1
      state.held = state.last
      defer { state.isWatched = true }
      return (Hold(number: state.last), !state.isWatched, false)
    }
    if wakes { unsafe sem_post(rest) }
    if starts { unsafe sem_post(alarm) }
    return hold
  }

  /// Says that this is done; whether the calling thread waits for requests now, without entering.
  func resume(_ hold: Hold) -> Bool {
    state.withLock { state in
      guard state.held == hold.number else { return false }
      state.held = 0
      guard state.waiting < limit else { return false }
      state.waiting += 1
      return true
    }
  }

  /// Wakes all; from now on nobody rests.
  func end() {
    let woken = state.withLock { state in
      let woken = state.resting
      state.isOver = true
      state.mayHold = false
      state.waiting += woken
      state.resting = 0
      return woken
    }
    for _ in 0..<woken { unsafe sem_post(rest) }
    unsafe sem_post(alarm)
  }

  // MARK: The watch

  /// Says that a thread will call `watch()`: until then, and without it, nobody holds the line.
  func expectWatch() { state.withLock { $0.mayHold = !$0.isOver } }

  /// The work of the thread that watches; ends after `end()`.
  func watch() {
    var idle = Self.idleTicks
    while true {
      if idle < Self.idleTicks {
        usleep(Self.tick)
      } else {
        if state.withLock({ $0.letWatchSleep() }) { while unsafe sem_wait(alarm) != 0 {} }
        idle = 0
      }
      let (isOver, isIdle, wakes) = state.withLock { ($0.isOver, $0.seen == $0.last && $0.held == 0, $0.tick()) }
      if isOver { return }
      if wakes { unsafe sem_post(rest) }
      idle = isIdle ? idle + 1 : 0
    }
  }
}

extension WaitingLine.State {
  /// Counts one that rests among those that wait, where nobody else waits; whether it is to be woken.
  fileprivate mutating func wakeOne() -> Bool {
    guard waiting == 0, held == 0, resting > 0 else { return false }
    resting -= 1
    waiting += 1
    return true
  }

  /// Takes the line from who holds it for the same thing as at the last tick; whether one that rests is to be woken.
  fileprivate mutating func tick() -> Bool {
    guard held != 0, held == seen else {
      seen = last
      return false
    }
    held = 0
    return wakeOne()
  }

  /// Whether there is nothing to watch until the line is held again.
  fileprivate mutating func letWatchSleep() -> Bool {
    guard held == 0, !isOver else { return false }
    isWatched = false
    return true
  }
}
