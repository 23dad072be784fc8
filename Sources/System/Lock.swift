// A mutex with any number of conditions. All unsafe code about locks is in this file.
//
// Invariants
// 1. Mutex and conditions stay at one address for as long as they live, as pthreads requires.
// 2. Deadlines are of the monotonic clock, so setting the time of day wakes no thread.
// 3. A debug build knows which thread holds a lock. It traps when a thread takes a lock twice, releases one that it
//    does not hold, waits without the lock, waits for a condition of one lock while it holds another that excludes
//    waiting, or when `assertHeld` or `assertNotHeld` is wrong. A release build stores no owner and checks nothing.
//
// Other modules get `@inlinable` members inline only because the type itself is `@usableFromInline`; the same holds for
// the other types of this module.

public import Glibc
internal import Synchronization

/// A mutex for state that threads wait for. Not recursive. Never call out of the layer that owns it while it is held.
///
/// It guards properties of the object that owns it. A wait releases the lock in the middle of a method, so no inout
/// access to that state may span a wait. State without waiting threads belongs in the standard library's `Mutex`, as a
/// leaf: no other lock is taken while a `Mutex` is held.
@safe @usableFromInline package final class Lock: @unchecked Sendable {
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// The operation that the holder must avoid; nil if nothing is excluded.
  private let exclusion: LockExclusion?
  #if DEBUG
    /// The thread that holds the lock, 0 while it is free. A thread finds its own number here only if it holds the
    /// lock, so the loads and stores need no order.
    private let owner = Atomic<pthread_t>(0)
  #endif

  /// An unlocked lock. In a debug build `DiskAccess.assertAllowed` and `Waiting.assertAllowed` trap while the calling
  /// thread holds a lock that excludes it.
  package init(excluding exclusion: LockExclusion? = nil) {
    self.exclusion = exclusion
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe pthread_mutex_init(mutex, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Takes the lock.
  @inlinable package func lock() {
    assertNotHeld()
    unsafe pthread_mutex_lock(mutex)
    noteTaken()
  }

  /// Releases the lock.
  @inlinable package func unlock() {
    noteReleased()
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Calls `body` with the lock held. `body` may wait for a condition of this lock, which releases the lock during the
  /// wait. If `body` waits for anything else, each thread that takes the lock waits as long. A lock that many threads
  /// take excludes that (`init(excluding:)`).
  @inlinable package func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Calls `body` with the lock held if no thread holds it now; otherwise returns nil at once.
  package func withLockIfFree<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R? {
    assertNotHeld()
    guard unsafe pthread_mutex_trylock(mutex) == 0 else { return nil }
    noteTaken()
    defer { unlock() }
    return try body()
  }

  /// In a debug build, traps unless the calling thread holds the lock.
  @inlinable package func assertHeld() {
    #if DEBUG
      precondition(isHeld, "the calling thread does not hold this lock")
    #endif
  }

  /// In a debug build, traps if the calling thread holds the lock.
  @inlinable package func assertNotHeld() {
    #if DEBUG
      precondition(!isHeld, "the calling thread holds this lock")
    #endif
  }

  /// Called after every taking of the mutex.
  @inlinable func noteTaken() {
    #if DEBUG
      setOwner(pthread_self())
    #endif
  }

  /// Called before every release of the mutex.
  @inlinable func noteReleased() {
    assertHeld()
    #if DEBUG
      setOwner(0)
    #endif
  }

  #if DEBUG
    @usableFromInline var isHeld: Bool { owner.load(ordering: .relaxed) == pthread_self() }

    @usableFromInline func setOwner(_ thread: pthread_t) {
      owner.store(thread, ordering: .relaxed)
      exclusion?.count(after: thread == 0 ? -1 : 1)
    }
  #endif
}

/// An event that threads wait for while they hold a lock. A lock may have any number of conditions.
@safe package final class Condition: @unchecked Sendable {
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private let lock: Lock

  /// A condition of the state that `lock` guards.
  package init(of lock: Lock) {
    self.lock = lock
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

  /// Releases the lock, waits, takes it again. Wakeups may be spurious.
  package func wait() {
    lock.noteReleased()
    Waiting.assertAllowed()
    unsafe pthread_cond_wait(condition, lock.mutex)
    lock.noteTaken()
  }

  /// Like `wait()`, but at most until `deadline`, in nanoseconds of the monotonic clock. False when the deadline
  /// passed.
  @discardableResult
  package func wait(until deadline: UInt64) -> Bool {
    var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
    lock.noteReleased()
    Waiting.assertAllowed()
    let outcome = unsafe pthread_cond_timedwait(condition, lock.mutex, &time)
    lock.noteTaken()
    return outcome == 0
  }

  /// Wakes one waiting thread.
  package func signal() { unsafe pthread_cond_signal(condition) }

  /// Wakes all waiting threads.
  package func broadcast() { unsafe pthread_cond_broadcast(condition) }
}
