internal import Synchronization

/// Counts from 0 on, for any number of threads.
package final class Counter: Sendable {
  private let counter = Mutex(0)

  /// Begins.
  package init() {}

  /// The next number.
  package func next() -> Int {
    counter.withLock {
      $0 += 1
      return $0 - 1
    }
  }

  /// How many were taken.
  package var value: Int { counter.withLock { $0 } }
}
