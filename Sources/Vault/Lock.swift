internal import Glibc

/// A mutex with one condition, for state that threads wait for. Not recursive. Never held while calling out of the layer that owns it.
///
/// The state it guards are properties of the class that owns it: a wait gives the lock away in the middle of a method, so the state must not
/// be reached through an inout access that spans the wait.
@safe package final class Lock: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  /// An unlocked lock.
  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition.initialize(to: pthread_cond_t())
    unsafe pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Takes the lock.
  package func lock() { unsafe pthread_mutex_lock(mutex) }

  /// Gives the lock back.
  package func unlock() { unsafe pthread_mutex_unlock(mutex) }

  /// Gives the lock back, waits for `broadcast`, takes the lock again. May return without reason.
  package func wait() { unsafe pthread_cond_wait(condition, mutex) }

  /// Like `wait()`, but for at most `milliseconds`; false when they passed.
  @discardableResult
  package func wait(milliseconds: Int) -> Bool {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    let nanoseconds = time.tv_nsec + (milliseconds % 1000) * 1_000_000
    time.tv_sec += milliseconds / 1000 + nanoseconds / 1_000_000_000
    time.tv_nsec = nanoseconds % 1_000_000_000
    return unsafe pthread_cond_timedwait(condition, mutex, &time) == 0
  }

  /// Wakes all who wait.
  package func broadcast() { unsafe pthread_cond_broadcast(condition) }

  /// Calls `body` with the lock held; `body` must not wait.
  package func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    lock()
    defer { unlock() }
    return try body()
  }
}
