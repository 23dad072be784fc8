// The state that the threads of a space share, and its lock.
//
// Lock rule: guarded state is reached only through `LockedLog`, which exists only while the lock is held. Its
// `mutating` methods may release the lock for a while; the others keep it. Under the lock, only the headers of segments
// and records are sealed, because the chain needs their tags in order. Nothing is read, written or flushed under the
// lock, which a debug build asserts (`DiskAccess`). Under the lock, the storage is called only
//
// - to create a segment file, hold room for it and ask for its birth; to delete it if there is no room,
// - to resize the reserve, and to ask how much room is free,
// - to take, announce and end leases, and to close files.

internal import Storage
internal import Synchronization
internal import System

/// The constants of an open space.
struct LogContext: Sendable {
  let storage: any Storage
  let keys: SpaceKeys
  let segmentSize: Int
  /// The longest time, in seconds, that a copy of the vault may take and still be complete.
  let copyWindow: Int64
  /// Whether all segments under a key that was replaced are overwritten before they are deleted, not only heads.
  var wipesPrevious = false
  /// The time of day, in seconds since 1970.
  let clock: @Sendable () -> Int64
}

/// The log of a space. Its threads share it.
final class Log: @unchecked Sendable {
  let context: LogContext
  let gate: WriteGate
  let cache = SegmentCache()
  /// Whether memory keeps ciphertext because the disk is full. Readers check this before they take the lock. That is
  /// safe because a reader learns the position of a record only after the log keeps the record.
  let keepsStalled = Atomic(false)
  fileprivate let lock = Lock(excluding: .diskAccess)
  /// Signalled at every change that a thread may wait for.
  fileprivate let changed: Condition

  fileprivate var tail: LogTail
  fileprivate var catalog: SegmentCatalog
  fileprivate var database: LoggedDatabase
  fileprivate var snapshots = Snapshots()
  fileprivate var durability: Durability
  fileprivate var leases: Leases
  fileprivate var room: RoomBudget
  fileprivate var pool: FilePool

  init(_ context: LogContext, state: RecoveredState, leases: Leases, gate: WriteGate) {
    self.context = context
    self.gate = gate
    changed = Condition(of: lock)
    tail = LogTail(state)
    catalog = SegmentCatalog(state)
    database = LoggedDatabase(state)
    durability = Durability(state)
    self.leases = leases
    let pool = FilePool(state.owner)
    self.pool = pool
    room = RoomBudget(of: context.storage, segmentSize: context.segmentSize, holdsReserve: !pool.ownsCover)
  }

  /// Calls `body` with the lock held.
  func locked<Result, Failure: Error>(
    _ body: (inout LockedLog) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    var held = LockedLog(of: self)
    return try body(&held)
  }

  /// Checks, in a debug build, that the calling thread may do I/O.
  func assertNotLocked() { lock.assertNotHeld() }
}

/// Proof that the calling thread holds a log's lock. It gives access to all state that the lock guards.
struct LockedLog: ~Copyable {
  private let log: Log

  fileprivate init(of log: Log) { self.log = log }

  var context: LogContext { log.context }
  var gate: WriteGate { log.gate }
  var cache: SegmentCache { log.cache }

  var tail: LogTail {
    _read { yield log.tail }
    nonmutating _modify { yield &log.tail }
  }
  var catalog: SegmentCatalog {
    _read { yield log.catalog }
    nonmutating _modify { yield &log.catalog }
  }
  var database: LoggedDatabase {
    _read { yield log.database }
    nonmutating _modify { yield &log.database }
  }
  var snapshots: Snapshots {
    _read { yield log.snapshots }
    nonmutating _modify { yield &log.snapshots }
  }
  var durability: Durability {
    _read { yield log.durability }
    nonmutating _modify { yield &log.durability }
  }
  var leases: Leases {
    _read { yield log.leases }
    nonmutating _modify { yield &log.leases }
  }
  var pool: FilePool {
    _read { yield log.pool }
    nonmutating _modify { yield &log.pool }
  }
  var room: RoomBudget {
    _read { yield log.room }
    nonmutating _modify { yield &log.room }
  }

  /// Tells readers whether there are stalled writes.
  func noteStalled() { log.keepsStalled.store(!log.tail.stalled.isEmpty, ordering: .releasing) }

  /// Releases the lock until something has changed. Wakeups may be spurious.
  mutating func wait() { log.changed.wait() }

  /// Wakes all waiting threads.
  func announce() { log.changed.broadcast() }

  /// Calls `body` without the lock.
  mutating func unlocked<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    log.lock.unlock()
    defer { log.lock.lock() }
    return try body()
  }
}
