// Leader and followers: a few threads, the leaders, wait for requests, and the others, the followers, sleep. The kernel
// wakes waiting threads in turn. If all of them waited, each request would be served with a stack and buffers that left
// the processor's cache long ago.
//
// Waking a thread takes longer than answering a small request. So after many small requests a single leader keeps the
// leadership while it answers, and then looks for the next request itself. If a request that looked small blocks, a
// watchdog passes the leadership on.
//
// Invariants:
// 1. While a follower sleeps, there is a leader, or a follower was woken to lead, or a thread keeps the leadership and
//    the watchdog is awake. So no request waits longer than two ticks of the watchdog.
// 2. The thread that wakes a follower counts it among the leaders. A thread that keeps the leadership is not among
//    them.
// 3. The watchdog sleeps only while no thread keeps the leadership.

internal import Glibc
internal import Synchronization

/// Lets few threads wait for requests, and wakes another when the last of them takes a long request.
@safe final class LeaderFollowers: @unchecked Sendable {
  /// The right to lead again after a request.
  struct Leadership: Equatable {
    fileprivate let number: UInt64
  }

  fileprivate struct State {
    var leaders = 0
    var followers = 0
    var isOver = false
    /// Small requests since the last large one.
    var smallInARow = 0
    /// The number of the kept leadership; 0 for none.
    var kept: UInt64 = 0
    /// The newest number.
    var last: UInt64 = 0
    /// The newest number at the last tick, so that the next tick recognises a leadership kept since then.
    var seen: UInt64 = 0
    /// Whether the watchdog is awake.
    var isWatched = false
    /// Whether a watchdog exists.
    var mayKeep = false
  }

  /// The watchdog's interval, in microseconds. A leadership is kept for at most two ticks.
  private static let tick: UInt32 = 500
  /// After this many idle ticks the watchdog sleeps.
  private static let idleTicks = 20

  private let limit: Int
  private let patience: Int
  private let state = Mutex(State())
  /// The semaphore on which followers sleep.
  private let sleepers: UnsafeMutablePointer<sem_t>
  /// The semaphore on which the watchdog sleeps.
  private let alarm: UnsafeMutablePointer<sem_t>

  /// At least one thread leads, and at most `limit`; after more than `patience` small requests in a row, exactly one.
  init(limit: Int, patience: Int = 16) {
    self.limit = max(1, limit)
    self.patience = patience
    unsafe sleepers = .allocate(capacity: 1)
    unsafe sleepers.initialize(to: sem_t())
    unsafe sem_init(sleepers, 0, 0)
    unsafe alarm = .allocate(capacity: 1)
    unsafe alarm.initialize(to: sem_t())
    unsafe sem_init(alarm, 0, 0)
  }

  deinit {
    unsafe sem_destroy(alarm)
    unsafe alarm.deallocate()
    unsafe sem_destroy(sleepers)
    unsafe sleepers.deallocate()
  }

  /// The numbers of leaders and of followers.
  var counts: (leaders: Int, followers: Int) { state.withLock { ($0.leaders, $0.followers) } }

  /// Returns once the calling thread is a leader. It then waits for one request, and calls `resign()` or `keep()` when
  /// it has received it.
  func lead() {
    let follows = state.withLock { state in
      let others = state.leaders + (state.kept == 0 ? 0 : 1)
      let follows = !state.isOver && others >= (state.smallInARow > patience ? 1 : limit)
      if follows { state.followers += 1 } else { state.leaders += 1 }
      return follows
    }
    guard follows else { return }
    // A signal may interrupt the wait.
    while unsafe sem_wait(sleepers) != 0 {}
  }

  /// Ends the calling thread's lead, because its request may take long or it received none.
  func resign() {
    let wakes = state.withLock { state in
      state.leaders -= 1
      state.smallInARow = 0
      return state.wakeOne()
    }
    if wakes { unsafe sem_post(sleepers) }
  }

  /// Ends the calling thread's lead for a small request. Returns the right to lead again; nil if there are other
  /// leaders or few small requests.
  func keep() -> Leadership? {
    let (leadership, starts, wakes) = state.withLock { state -> (Leadership?, Bool, Bool) in
      state.leaders -= 1
      state.smallInARow += 1
      guard state.smallInARow > patience, state.mayKeep else { return (nil, false, state.wakeOne()) }
      guard state.leaders == 0, state.kept == 0, state.followers > 0 else { return (nil, false, false) }
      state.last += 1
      state.kept = state.last
      defer { state.isWatched = true }
      return (Leadership(number: state.last), !state.isWatched, false)
    }
    if wakes { unsafe sem_post(sleepers) }
    if starts { unsafe sem_post(alarm) }
    return leadership
  }

  /// Makes the calling thread a leader again, after the request. False if the watchdog has passed the leadership on.
  func resume(_ leadership: Leadership) -> Bool {
    state.withLock { state in
      guard state.kept == leadership.number else { return false }
      state.kept = 0
      guard state.leaders < limit else { return false }
      state.leaders += 1
      return true
    }
  }

  /// Makes all followers leaders; from now on no thread follows.
  func end() {
    let woken = state.withLock { state in
      let woken = state.followers
      state.isOver = true
      state.mayKeep = false
      state.leaders += woken
      state.followers = 0
      return woken
    }
    for _ in 0..<woken { unsafe sem_post(sleepers) }
    unsafe sem_post(alarm)
  }

  // MARK: The watchdog

  /// Announces that a thread will call `watch()`. Before that, no thread keeps the leadership.
  func expectWatchdog() { state.withLock { $0.mayKeep = !$0.isOver } }

  /// The watchdog's loop. Returns after `end()`.
  func watch() {
    var idle = Self.idleTicks
    while true {
      if idle < Self.idleTicks {
        usleep(Self.tick)
      } else {
        if state.withLock({ $0.letWatchdogSleep() }) { while unsafe sem_wait(alarm) != 0 {} }
        idle = 0
      }
      let (isOver, isIdle, wakes) = state.withLock { ($0.isOver, $0.seen == $0.last && $0.kept == 0, $0.tick()) }
      if isOver { return }
      if wakes { unsafe sem_post(sleepers) }
      idle = isIdle ? idle + 1 : 0
    }
  }
}

extension LeaderFollowers.State {
  /// Counts a follower among the leaders if no thread leads. True if the caller must wake it.
  fileprivate mutating func wakeOne() -> Bool {
    guard leaders == 0, kept == 0, followers > 0 else { return false }
    followers -= 1
    leaders += 1
    return true
  }

  /// Takes the leadership from a thread that has kept it since the last tick. True if the caller must wake a follower.
  fileprivate mutating func tick() -> Bool {
    guard kept != 0, kept == seen else {
      seen = last
      return false
    }
    kept = 0
    return wakeOne()
  }

  /// Whether nothing needs watching until a leadership is kept again.
  fileprivate mutating func letWatchdogSleep() -> Bool {
    guard kept == 0, !isOver else { return false }
    isWatched = false
    return true
  }
}
