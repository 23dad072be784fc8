internal import Synchronization
internal import System

/// At most one process, which one thread uses and any other can kill for good.
///
/// 1. A process is reaped and forgotten under the lock, so `refuse()` never signals a reused process number.
///    One that the kernel does not let end is forgotten, too.
/// 2. No other process is held after `refuse()`.
final class StoppableProcess: Sendable {
  private struct State {
    var process: ChildProcess?
    var isStopped = false
  }

  /// Held at most until a killed process has ended or is given up.
  private let state = Mutex(State())

  /// Whether `refuse()` was called.
  var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Takes over a process that was just started. False after `refuse()`; then it ends the process.
  func hold(_ process: ChildProcess) -> Bool {
    state.withLock {
      if $0.isStopped { process.end() } else { $0.process = process }
      return !$0.isStopped
    }
  }

  /// Ends the process, if there is one. Another may follow.
  func end() {
    state.withLock {
      $0.process?.end()
      $0.process = nil
    }
  }

  /// Kills the process, without waiting for its end unless another thread is ending it. No other may follow.
  func refuse() {
    state.withLock {
      $0.isStopped = true
      $0.process?.kill()
    }
  }
}
