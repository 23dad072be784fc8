import Synchronization

/// Counts from 0 on.
final class Counter: Sendable {
  private let counter = Mutex(0)

  /// The next number.
  func next() -> Int {
    counter.withLock {
      $0 += 1
      return $0 - 1
    }
  }

  /// How many were taken.
  var value: Int { counter.withLock { $0 } }
}
