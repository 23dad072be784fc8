internal import Synchronization
internal import System

/// A thread of a test. Waiting for it has a deadline.
package final class TestThread: Sendable {
  private final class Outcome: Sendable {
    let result = Mutex<Result<Void, any Error>?>(nil)
  }

  private let outcome = Outcome()
  private let thread: System.Thread

  /// Starts the thread.
  package init(_ body: @escaping @Sendable () throws -> Void) throws {
    thread = try System.Thread { [outcome] in
      let result = Result { try body() }
      outcome.result.withLock { $0 = result }
    }
  }

  /// Waits until the thread has ended. To be called once.
  ///
  /// - Throws: what the thread has thrown; `DeadlinePassed` when it goes on for longer than `limit`.
  package func join(within limit: Duration = .seconds(300)) throws {
    try waitUntil("a thread ended", within: limit) { outcome.result.withLock { $0 != nil } }
    thread.join()
    try outcome.result.withLock { $0 }?.get()
  }
}

/// Runs `body` in `count` threads at once, and waits for all of them.
///
/// - Throws: what one of them has thrown; `DeadlinePassed` when they go on for longer than `limit`.
package func inThreads(
  _ count: Int, within limit: Duration = .seconds(300), _ body: @escaping @Sendable (Int) throws -> Void
) throws {
  let deadline = monotonicTime() + limit.nanoseconds
  let threads = try (0..<count).map { index in try TestThread { try body(index) } }
  let results = threads.map { thread in
    Result { try thread.join(within: .nanoseconds(max(0, Int64(deadline) - Int64(monotonicTime())))) }
  }
  for result in results { try result.get() }
}
