internal import Glibc
internal import Synchronization
internal import System
internal import SystemPackage

/// A thread that calls a function once a signal that ends the process is pending, for work that may wait long for
/// others, such as a server.
final class SignalWatch: Sendable {
  private final class State: Sendable {
    let isOver = Atomic(false)
  }

  private let state: State
  private let thread: System.Thread

  /// Watches signals that are held.
  init(_ signals: HeldSignals, _ body: @escaping @Sendable () -> Void) throws(Errno) {
    let state = State()
    self.state = state
    thread = try System.Thread {
      while !state.isOver.load(ordering: .acquiring) {
        if signals.arePending { return body() }
        usleep(100_000)
      }
    }
  }

  /// Ends the thread. To be called once.
  func end() {
    state.isOver.store(true, ordering: .releasing)
    thread.join()
  }
}
