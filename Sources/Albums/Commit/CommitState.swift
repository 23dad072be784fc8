// The progress of the commits, and when the next one is due.
//
// Invariants
// 1. One commit or one statement of intents is under way at a time.
// 2. A commit has every change that was made before it began. So a caller that wants a change committed waits until
//    `ended` is larger than `begun` was.
// 3. `firstChange` is nil only when no operation changed anything since the last commit began.
// 4. `isCritical` is true only while a commit is under way.

internal import SystemPackage

/// The file system's commits, under its lock.
struct CommitState {
  /// A write to the log for the index.
  enum Underway {
    case commit
    case intents
  }

  /// The longest time for which the log may hold something that is not durable, in nanoseconds.
  static let durabilityDelay: UInt64 = 4_000_000_000

  /// The write under way; nil if there is none.
  private(set) var underway: Underway?
  /// Commits that began, and the number of those that ended.
  private(set) var begun = 0
  private(set) var ended = 0
  /// How often something was changed.
  private(set) var changes: UInt64 = 0
  /// Commits that ended, and statements of intents.
  private(set) var logged = 0
  /// The last commit that succeeded, and the error of the last one that failed.
  private var succeeded = 0
  private var lastFailure: Errno?
  /// Whether a commit is in its critical part. During it nothing may be changed.
  private(set) var isCritical = false
  /// The time of the first change after the last commit began, on the monotonic clock.
  private(set) var firstChange: UInt64?
  /// Whether there are enough changes that the next commit must not wait.
  private(set) var isUrgent = false
  /// Rows that the index has committed in memory since the last commit began, for readers without the lock.
  private(set) var gatheredRows = 0
  /// When the committer looks again by itself: 0 while it works, the maximum while it waits to be woken.
  private var nextLook: UInt64 = 0
  /// The latest time at which appended data must be made durable.
  private(set) var syncDue: UInt64?
  /// The time before which flushing is not tried again, after it failed.
  private var syncPause: UInt64 = 0
  /// Whether a failure of the committer was logged, and nothing succeeded since.
  private var failureIsKnown = false
  /// Whether the thread that keeps checkpoint records waits for `logged` to grow.
  var isCheckpointKeeperWaiting = false

  // MARK: Commits and intents

  mutating func beginCommit() {
    underway = .commit
    begun += 1
    noteNothingWaits()
  }

  mutating func beginCriticalPart() { isCritical = true }

  mutating func endCriticalPart() { isCritical = false }

  mutating func endCommit(_ failure: Errno?) {
    underway = nil
    ended = begun
    if let failure { lastFailure = failure } else { succeeded = begun }
  }

  /// The error that kept the changes of the ended commit `number` from the log; nil when it or a later one has them.
  func failure(of number: Int) -> Errno? { succeeded >= number ? nil : lastFailure }

  mutating func beginIntents() { underway = .intents }

  mutating func endIntents() { underway = nil }

  mutating func noteLogged() { logged += 1 }

  // MARK: When

  /// Notes the first change since the last commit began; true when the committer has to be woken. Mostly the committer
  /// looks in time by itself, and waking it for every change that a program syncs costs more than the change.
  mutating func noteFirstChange(at time: UInt64, interval: UInt64) -> Bool {
    firstChange = time
    return nextLook > time + interval
  }

  mutating func noteChange() { changes += 1 }

  mutating func noteUrgent() { isUrgent = true }

  mutating func noteGathered(_ rows: Int) { gatheredRows += rows }

  /// Notes that the commit under way, or the last one, has every change.
  mutating func noteNothingWaits() {
    firstChange = nil
    isUrgent = false
    gatheredRows = 0
  }

  /// Lets the next commit wait for its time, after one failed: a commit that cannot succeed is not urgent.
  mutating func startOver(at time: UInt64) {
    isUrgent = false
    firstChange = time
  }

  /// When the next commit is due, if a change may wait for `interval`.
  func due(_ now: UInt64, interval: UInt64) -> UInt64? { isUrgent ? now : firstChange.map { $0 + interval } }

  mutating func beginWaiting(until time: UInt64?) { nextLook = time ?? .max }

  mutating func endWaiting() { nextLook = 0 }

  // MARK: Making durable

  /// Whether the log should be flushed.
  func isSyncDue(_ now: UInt64, orAtOnce isMuch: Bool) -> Bool {
    now >= syncPause && (isMuch || syncDue.map { $0 <= now } ?? false)
  }

  /// Notes that something was appended, and must be durable by a time.
  mutating func noteToSync(by time: UInt64) { syncDue = syncDue ?? time }

  mutating func noteSync() { syncDue = nil }

  mutating func noteSyncFailure(at time: UInt64) {
    syncDue = time + Self.durabilityDelay
    syncPause = time + Self.durabilityDelay
  }

  // MARK: Failures of the committer

  /// Notes a failure; true when it should be logged.
  mutating func noteFailure() -> Bool {
    defer { failureIsKnown = true }
    return !failureIsKnown
  }

  mutating func noteSuccess() { failureIsKnown = false }
}
