// Two pieces of work that do not depend on each other, such as two requests to a server.
//
// Invariants
// 1. Neither function runs any more when `concurrently` returns or throws.
// 2. The second function is called in the calling thread.

internal import Synchronization

/// Calls two functions at once. If the system refuses a thread, it calls them one after another.
///
/// - Parameters:
///   - atOnce: false calls them one after another, and the second one only if the first one has not thrown.
///   - first: called in another thread.
/// - Throws: the error of the first function, otherwise that of the second.
@discardableResult
package func concurrently<One: Sendable, Other, Failure: Error>(
  _ atOnce: Bool, _ first: @escaping @Sendable () throws(Failure) -> One, and second: () throws(Failure) -> Other
) throws(Failure) -> (One, Other) {
  guard atOnce, let aside = Aside<One, Failure>(first) else {
    let one = try first()
    return (one, try second())
  }
  let other: Result<Other, Failure> = Result(catching: second)
  let one = aside.wait()
  return (try one.get(), try other.get())
}

/// A function that runs in another thread.
private struct Aside<Outcome: Sendable, Failure: Error>: Sendable {
  private let result: Shared
  private let thread: Thread

  /// The result, shared by both threads.
  private final class Shared: Sendable {
    let value: Mutex<Result<Outcome, Failure>?> = Mutex(nil)
  }

  /// Nil if the system refuses the thread.
  init?(_ body: @escaping @Sendable () throws(Failure) -> Outcome) {
    let result = Shared()
    let run: @Sendable () -> Void = {
      let found: Result<Outcome, Failure> = Result(catching: body)
      result.value.withLock { $0 = found }
    }
    guard let thread = try? Thread(run) else { return nil }
    (self.result, self.thread) = (result, thread)
  }

  /// Waits until the function has returned. Call it once.
  func wait() -> Result<Outcome, Failure> {
    thread.join()
    guard let found = result.value.withLock({ $0 }) else { preconditionFailure("the thread has not run") }
    return found
  }
}
