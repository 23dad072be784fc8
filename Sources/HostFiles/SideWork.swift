internal import Synchronization
internal import System

/// Work in another thread, or done at once if no thread can be started.
package struct SideWork<Outcome: Sendable>: Sendable {
  private let outcome = Shared()
  private let thread: Thread?

  /// The result, shared by both threads.
  private final class Shared: Sendable {
    let value: Mutex<Outcome?> = Mutex(nil)
  }

  /// Starts the work. Unless `isAside` is set, the work is done on return.
  package init(isAside: Bool = true, _ work: @escaping @Sendable () -> Outcome) {
    let outcome = outcome
    let body: @Sendable () -> Void = {
      let result = work()
      outcome.value.withLock { $0 = result }
    }
    thread = isAside ? try? Thread(body) : nil
    if thread == nil { body() }
  }

  /// Waits for the work and returns its result. Call it only once.
  package func wait() -> Outcome? {
    thread?.join()
    return outcome.value.withLock { $0 }
  }
}
