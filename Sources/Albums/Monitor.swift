// A mutex with several conditions, for state that threads wait for. All unsafe code about locks is in this file.
//
// Invariants
// 1. Mutex and conditions stay at one address for as long as they live, as pthreads asks.
// 2. Deadlines are of the monotonic clock, so that setting the time of day wakes nobody.

internal import Glibc

/// A mutex. Not recursive. The state that it guards must not be reached through an inout access that spans a wait.
@safe final class Monitor: @unchecked Sendable {
  fileprivate let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe pthread_mutex_init(mutex, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  func lock() { unsafe pthread_mutex_lock(mutex) }

  func unlock() { unsafe pthread_mutex_unlock(mutex) }
}

/// Something that threads wait for with a monitor's lock held.
@safe final class Condition: @unchecked Sendable {
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private let monitor: Monitor

  init(of monitor: Monitor) {
    self.monitor = monitor
    unsafe condition = .allocate(capacity: 1)
    unsafe condition.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe condition.deallocate()
  }

  /// Gives the lock back, waits, takes it again. May return without reason.
  func wait() { unsafe pthread_cond_wait(condition, monitor.mutex) }

  /// As `wait()`, but at most until `deadline`, in nanoseconds of the monotonic clock.
  func wait(until deadline: UInt64) {
    var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
    unsafe pthread_cond_timedwait(condition, monitor.mutex, &time)
  }

  /// Wakes one who waits.
  func signal() { unsafe pthread_cond_signal(condition) }

  /// Wakes all who wait.
  func broadcast() { unsafe pthread_cond_broadcast(condition) }
}
