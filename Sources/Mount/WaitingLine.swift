// Which threads wait for requests, and which rest. The kernel hands requests to those that wait in turn, so with many of them each request
// is served with stacks and buffers that left the processor's cache long ago.
//
// Invariants:
// 1. While a thread rests, another waits for requests, or was woken to do so: no request lies there that nobody is about to take.
// 2. Whoever wakes a thread counts it among those that wait.

internal import Glibc
internal import Synchronization

/// Keeps few threads waiting for requests while others rest, and wakes one when the last of them got something to do.
@safe final class WaitingLine: @unchecked Sendable {
  private struct State {
    var waiting = 0
    var resting = 0
    var isOver = false
  }

  private let limit: Int
  private let state = Mutex(State())
  /// Where threads rest.
  private let rest: UnsafeMutablePointer<sem_t>

  /// A line in which at most `limit` threads wait, at least one.
  init(limit: Int) {
    self.limit = max(1, limit)
    unsafe rest = .allocate(capacity: 1)
    unsafe rest.initialize(to: sem_t())
    unsafe sem_init(rest, 0, 0)
  }

  deinit {
    unsafe sem_destroy(rest)
    unsafe rest.deallocate()
  }

  /// How many threads wait for requests, and how many rest.
  var counts: (waiting: Int, resting: Int) { state.withLock { ($0.waiting, $0.resting) } }

  /// Returns when the calling thread is to wait for a request; before it does so, `leave()` must not be called.
  func enter() {
    let rests = state.withLock { state in
      let rests = !state.isOver && state.waiting >= limit
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
      guard state.waiting == 0, state.resting > 0 else { return false }
      state.resting -= 1
      state.waiting += 1
      return true
    }
    if wakes { unsafe sem_post(rest) }
  }

  /// Wakes all; from now on nobody rests.
  func end() {
    let woken = state.withLock { state in
      let woken = state.resting
      state.isOver = true
      state.waiting += woken
      state.resting = 0
      return woken
    }
    for _ in 0..<woken { unsafe sem_post(rest) }
  }
}
