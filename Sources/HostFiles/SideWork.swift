internal import Synchronization
internal import System

/// Work on another thread, or done at once if there can be no other.
package struct SideWork<Outcome: Sendable>: Sendable {
  private let outcome = Shared()
  private let thread: Thread?

  /// What one thread gives another.
  private final class Shared: Sendable {
    let value: Mutex<Outcome?> = Mutex(nil)
  }

  /// Begins. Unless it `isAside`, the work is done on return.
  package init(isAside: Bool = true, _ work: @escaping @Sendable () -> Outcome) {
    let outcome = outcome
    let body: @Sendable () -> Void = {
      let result = work()
      outcome.value.withLock { $0 = result }
    }
    thread = isAside ? try? Thread(body) : nil
    if thread == nil { body() }
  }

  /// Waits for the end. To be called once.
  package func wait() -> Outcome? {
    thread?.join()
    return outcome.value.withLock { $0 }
  }
}
