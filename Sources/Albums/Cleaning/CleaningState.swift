// What the cleaner has found, and who waits for it.
//
// Invariants
// 1. A segment in `retiring` was found dead when no more data could be put into it. A commit looks again, and gives it
//    up.
// 2. A round that somebody asks for begins after that: who waits for it sees the end of a whole round.
// 3. `ended` is at most `begun` while there is a thread that cleans, and the maximum after that, so that nobody waits.
// 4. While `movesUnderway` is positive no segment is given up: copies may be in it that no row names yet.

internal import SystemPackage
internal import Vault

/// The cleaner's state, under the file system's lock.
struct CleaningState {
  /// Segments that were found dead.
  private(set) var retiring: Set<SegmentNumber> = []
  /// Pages of the database to be copied to the end of the log.
  private(set) var moving: Set<PageNumber> = []
  /// Segments of which a part cannot be read, so that it stays where it is. They are tried once in a mount.
  var unmovable: Set<SegmentNumber> = []
  /// Appends by the cleaner whose rows are not in the index yet.
  private(set) var movesUnderway = 0
  /// Whether the cleaner waits for the next commit, without a time at which it looks by itself.
  private(set) var waitsForCommit = false
  /// Whether somebody was refused for want of room since the cleaner looked last.
  private(set) var isAsked = false
  /// Whether somebody waits for a round that looks at everything, and says in a head what is retired.
  private(set) var isLookWanted = false
  /// Rounds that began, and those that ended.
  private(set) var begun = 0
  private(set) var ended = 0
  /// Whether the last round made room.
  private(set) var gained = false
  /// Whether there is a thread that cleans.
  private(set) var isRunning = false

  /// Whether a round is under way.
  var isInRound: Bool { begun > ended }

  /// Whether a commit has to happen for the cleaner's sake.
  var hasWorkForCommit: Bool { !retiring.isEmpty || !moving.isEmpty }

  // MARK: Rounds

  mutating func start() { isRunning = true }

  /// Notes that there will be no round any more.
  mutating func end() {
    isRunning = false
    ended = .max
  }

  /// Asks for a round soon.
  mutating func ask() { isAsked = true }

  /// Asks for a round that says in a head what is retired.
  mutating func wantLook() { isLookWanted = true }

  mutating func beginWaiting(forCommit: Bool) { waitsForCommit = forCommit }

  mutating func endWaiting() { waitsForCommit = false }

  /// Begins a round; whether somebody asked for room, and whether for a look.
  mutating func beginRound() -> (isAsked: Bool, isLook: Bool) {
    defer { (isAsked, isLookWanted) = (false, false) }
    begun += 1
    return (isAsked, isLookWanted)
  }

  mutating func endRound(gained: Bool) {
    self.gained = gained
    ended = begun
  }

  // MARK: What a round found

  mutating func beginMove() { movesUnderway += 1 }

  mutating func endMove() { movesUnderway -= 1 }

  /// Notes segments in which nothing is live any more once the pages that were found in them are moved.
  mutating func noteDead(_ segments: [SegmentNumber], moving pages: Set<PageNumber>) {
    retiring.formUnion(segments)
    moving.formUnion(pages)
  }

  /// Notes what the log has.
  mutating func noteCommitted(_ transaction: LogTransaction) {
    moving.subtract(transaction.moving)
    retiring.subtract(transaction.retiring)
  }

  /// Keeps those of the segments that still are dead.
  mutating func keepDead(_ isDead: (SegmentNumber) -> Bool) { retiring = retiring.filter(isDead) }
}
