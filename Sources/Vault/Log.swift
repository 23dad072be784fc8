// What the threads that use a space share, and the lock that guards it.
//
// Lock rule: what is under the lock is reached through `LockedLog` only, and a `LockedLog` exists only while the lock is
// held. A method of it that is `mutating` may give the lock back meanwhile; the others keep it. Under the lock only
// record headers are sealed (the chain needs their tags in order), and the only calls of the storage are those that
// create a segment file and hold room, once for each segment, and ask how much is free. All other sealing and all other
// I/O happens without it.

internal import Storage
internal import Synchronization
internal import System

/// What does not change while a space is open.
struct LogContext: Sendable {
  let storage: any Storage
  let keys: SpaceKeys
  let segmentSize: Int
  /// How long a copy of the vault may take and still be complete, in seconds.
  let copyWindow: Int64
  /// The time of day, in seconds since 1970.
  let clock: @Sendable () -> Int64
}

/// The log of a space, as its threads share it.
final class Log: @unchecked Sendable {
  let context: LogContext
  let gate: WriteGate
  let cache = SegmentCache()
  /// Whether a full disk keeps ciphertext in memory. A reader looks here first, without the lock: it can only know the
  /// place of a record after the record was kept.
  let keepsStalled = Atomic(false)
  private let lock = Lock()
  /// Something that a thread may wait for has changed.
  private let changed: Condition

  fileprivate var tail: LogTail
  fileprivate var catalog: SegmentCatalog
  fileprivate var database: LoggedDatabase
  fileprivate var durability: Durability
  fileprivate var leases: Leases
  fileprivate var room = RoomBudget()

  init(_ context: LogContext, state: RecoveredState, leases: [any SegmentLease], gate: WriteGate) {
    self.context = context
    self.gate = gate
    changed = Condition(of: lock)
    tail = LogTail(state)
    catalog = SegmentCatalog(state)
    database = LoggedDatabase(state)
    durability = Durability(state)
    self.leases = Leases(leases)
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

  fileprivate func wait() { changed.wait() }

  fileprivate func announce() { changed.broadcast() }

  fileprivate func unlocked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    lock.unlock()
    defer { lock.lock() }
    return try body()
  }

  /// Checks, in a debug build, that the calling thread may do I/O.
  func assertNotLocked() { lock.assertNotHeld() }
}

/// Proof that the calling thread holds a log's lock, and the only way to what the lock guards.
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
  var durability: Durability {
    _read { yield log.durability }
    nonmutating _modify { yield &log.durability }
  }
  var leases: Leases {
    _read { yield log.leases }
    nonmutating _modify { yield &log.leases }
  }
  var room: RoomBudget {
    _read { yield log.room }
    nonmutating _modify { yield &log.room }
  }

  /// Tells readers whether a full disk keeps something in memory.
  func noteStalled() { log.keepsStalled.store(!log.tail.stalled.isEmpty, ordering: .releasing) }

  /// Gives the lock back until something has changed. May return without reason.
  mutating func wait() { log.wait() }

  /// Wakes all who wait.
  func announce() { log.announce() }

  /// Calls `body` without the lock.
  mutating func unlocked<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try log.unlocked(body)
  }
}
