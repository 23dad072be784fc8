internal import System
internal import SystemPackage

/// A thread that calls a function once a signal that ends the process is pending, for work that may wait long for
/// others, such as a server.
final class SignalWatch: Sendable {
  /// How often it looks, in nanoseconds.
  private static let interval: UInt64 = 100_000_000

  private final class State: @unchecked Sendable {
    let lock = Lock()
    let changed: Condition
    /// Guarded by the lock.
    var isOver = false

    init() { changed = Condition(of: lock) }
  }

  private let state: State
  private let thread: System.Thread

  /// Watches signals that are held.
  init(_ signals: HeldSignals, _ body: @escaping @Sendable () -> Void) throws(Errno) {
    let state = State()
    self.state = state
    thread = try System.Thread {
      let isPending = state.lock.withLock {
        while !state.isOver, !signals.arePending { state.changed.wait(until: monotonicTime() + SignalWatch.interval) }
        return !state.isOver
      }
      if isPending { body() }
    }
  }

  /// Ends the thread. To be called once.
  func end() {
    state.lock.withLock {
      state.isOver = true
      state.changed.signal()
    }
    thread.join()
  }
}
