// The findings of the cleaner, and the requests to it.
//
// Invariants
// 1. A segment in `retiring` was found dead when no more data could be put into it. A commit checks again, and gives it
//    up.
// 2. A round that a caller asks for begins after the request, so a caller that waits sees the end of a whole round.
// 3. `ended` is at most `begun` while there is a cleaning thread, and the maximum after that, so that no caller waits.
// 4. While `movesUnderway` is positive no segment is given up: it may hold copies that no row names yet.

internal import SystemPackage
internal import Vault

/// The cleaner's state, under the file system's lock.
struct CleaningState {
  /// Segments that were found dead.
  private(set) var retiring: Set<SegmentNumber> = []
  /// Pages of the database to copy to the end of the log.
  private(set) var moving: Set<PageNumber> = []
  /// Segments with unreadable parts, which stay where they are. They are tried once in a mount.
  var unmovable: Set<SegmentNumber> = []
  /// Appends by the cleaner whose rows are not in the index yet.
  private(set) var movesUnderway = 0
  /// Whether the cleaner waits for the next commit, without a time at which it looks by itself.
  private(set) var waitsForCommit = false
  /// Whether a caller was refused for lack of room since the cleaner looked last.
  private(set) var isAsked = false
  /// Whether a caller waits for a round that looks at everything, and states the retired segments in a head.
  private(set) var isLookWanted = false
  /// Rounds that began, and those that ended.
  private(set) var begun = 0
  private(set) var ended = 0
  /// Whether the last round made room.
  private(set) var gained = false
  /// Whether there is a cleaning thread.
  private(set) var isRunning = false

  /// Whether a round is under way.
  var isInRound: Bool { begun > ended }

  /// Whether the cleaner needs a commit.
  var hasWorkForCommit: Bool { !retiring.isEmpty || !moving.isEmpty }

  // MARK: Rounds

  mutating func start() { isRunning = true }

  /// Notes that there will be no more rounds.
  mutating func end() {
    isRunning = false
    ended = .max
  }

  /// Asks for a round soon.
  mutating func ask() { isAsked = true }

  /// Asks for a round that states the retired segments in a head.
  mutating func wantLook() { isLookWanted = true }

  mutating func beginWaiting(forCommit: Bool) { waitsForCommit = forCommit }

  mutating func endWaiting() { waitsForCommit = false }

  /// Begins a round; returns whether a caller asked for room, and whether one asked for a look.
  mutating func beginRound() -> (isAsked: Bool, isLook: Bool) {
    defer { (isAsked, isLookWanted) = (false, false) }
    begun += 1
    return (isAsked, isLookWanted)
  }

  mutating func endRound(gained: Bool) {
    self.gained = gained
    ended = begun
  }

  // MARK: Findings of a round

  mutating func beginMove() { movesUnderway += 1 }

  mutating func endMove() { movesUnderway -= 1 }

  /// Notes segments that are dead once the pages found in them are moved.
  mutating func noteDead(_ segments: [SegmentNumber], moving pages: Set<PageNumber>) {
    retiring.formUnion(segments)
    moving.formUnion(pages)
  }

  /// Notes the parts of a transaction that the log now has.
  mutating func noteCommitted(_ transaction: LogTransaction) {
    moving.subtract(transaction.moving)
    retiring.subtract(transaction.retiring)
  }

  /// Keeps those of the segments that are still dead.
  mutating func keepDead(_ isDead: (SegmentNumber) -> Bool) { retiring = retiring.filter(isDead) }
}
