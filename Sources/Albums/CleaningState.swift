// What the cleaner has found, and who waits for it.
//
// Invariants
// 1. A segment in `retiring` was found dead when no more data could be put into it. A commit looks again, and gives it
//    up.
// 2. A round that somebody asks for begins after that: who waits for it sees the end of a whole round.

internal import Vault

/// The cleaner's state, under the file system's lock.
struct CleaningState {
  /// Segments that were found dead.
  var retiring: Set<SegmentNumber> = []
  /// Pages of the database to be copied to the end of the log.
  var moving: Set<PageNumber> = []
  /// Appends by the cleaner whose rows are not in the index yet.
  var movesUnderway = 0
  /// Whether the cleaner waits for the next commit, without a time at which it looks by itself.
  var waitsForCommit = false
  /// Whether somebody was refused for want of room since the cleaner looked last.
  var isAsked = false
  /// Whether the operation at hand was refused for want of room.
  var wasRefused = false
  /// Rounds that began, and those that ended.
  var begun = 0
  var ended = 0
  /// Whether the last round made room.
  var gained = false
  /// Whether there is a thread that cleans.
  var isRunning = false

  /// Whether a commit has to happen for the cleaner's sake.
  var hasWorkForCommit: Bool { !retiring.isEmpty || !moving.isEmpty }

  /// Begins a round; true if somebody asked for it.
  mutating func beginRound() -> Bool {
    defer { isAsked = false }
    begun += 1
    return isAsked
  }

  mutating func endRound(gained: Bool) {
    self.gained = gained
    ended = begun
  }

  /// Notes what the log has.
  mutating func noteCommitted(_ transaction: LogTransaction) {
    moving.subtract(transaction.moving)
    retiring.subtract(transaction.retiring)
  }

  /// Keeps those of the segments that still are dead.
  mutating func keepDead(_ isDead: (SegmentNumber) -> Bool) { retiring = retiring.filter(isDead) }
}
