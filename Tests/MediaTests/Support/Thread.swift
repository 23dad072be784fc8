import Glibc
import Synchronization

/// A thread that is waited for.
struct Thread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private let thread: pthread_t

  /// Starts one.
  static func start(_ body: @escaping @Sendable () -> Void) -> Thread {
    var thread = pthread_t()
    let work = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
    let error = unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, work)
    precondition(error == 0)
    return Thread(thread: thread)
  }

  /// Waits for its end.
  func join() { pthread_join(thread, nil) }
}

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
