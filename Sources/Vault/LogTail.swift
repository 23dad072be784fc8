// Where the log goes on.
//
// Invariants
// 1. Log order is the order of tickets. Runs are written in that order, front to back, each offset once.
// 2. A run that found the disk full is kept in `stalled`, as ciphertext: only the same bytes may ever be written there.
//    Nothing after it is written before it.
// 3. Nothing is appended to what an earlier mount wrote: `current` is nil until this mount has begun an epoch.

internal import Crypto
internal import Storage
internal import Synchronization

/// The end of a log, and what is on its way to the storage.
struct LogTail {
  /// The segment that is being written; nil before the first write of a mount.
  var current: OpenSegment?
  /// The segment in which the log ends.
  var segment: SegmentNumber
  /// Where in it the next record begins.
  var end: Int
  /// The chain value there.
  var chain: [UInt8]
  /// The number of the newest commit.
  var sequence: UInt64
  /// Records since the head of the epoch.
  var recordsSinceHead = 0
  /// A segment that is to be filled up before anything is written behind it, and where its records end.
  var incomplete: (segment: OpenSegment, end: Int)?

  /// The ticket of the next run that is given a place, and of the next one that is written.
  var nextTicket: UInt64 = 0
  var writtenTicket: UInt64 = 0
  /// What the storage has: the position behind the last run that was written.
  var writtenEnd: LogPosition
  var stalled: [StalledWrite] = []

  /// Whether an epoch is being begun. Nobody else reserves a place meanwhile.
  var isBeginningEpoch = false
  /// Whether a commit is between its reservation and the page map. No other commit, and no epoch of somebody else,
  /// begins meanwhile.
  var isCommitting = false

  /// Whether nothing is on its way to the storage.
  var isQuiet: Bool { writtenTicket == nextTicket }

  /// The position of the next record.
  var position: LogPosition { LogPosition(segment: segment, offset: end) }

  /// The end of a log that was opened.
  init(_ state: RecoveredState) {
    segment = state.end.segment
    end = state.end.offset
    chain = state.chain
    sequence = state.sequence
    writtenEnd = state.end
  }

  /// The start of an epoch, behind the log that `before` ends.
  init(epoch: EpochNumber, after before: LogTail, in segment: OpenSegment) {
    self = before
    current = segment
    self.segment = SegmentNumber(epoch: epoch, index: 0)
    end = SegmentFormat.recordsStart
    recordsSinceHead = 0
    incomplete = nil
  }
}

/// A segment that is being written, or waits for its flush.
final class OpenSegment: Sendable {
  private let durableName = Atomic(false)
  let number: SegmentNumber
  let identifier: SegmentIdentifier
  let writer: any SegmentWriter
  let key: SealingKey
  /// Salt and sealed header, which the first run of the segment carries.
  let start: [UInt8]

  init(
    number: SegmentNumber, identifier: SegmentIdentifier, writer: any SegmentWriter, key: SealingKey, start: [UInt8]
  ) {
    self.number = number
    self.identifier = identifier
    self.writer = writer
    self.key = key
    self.start = start
  }

  /// Whether the file's name survives a loss of power.
  var nameIsDurable: Bool {
    get { durableName.load(ordering: .acquiring) }
    set { durableName.store(newValue, ordering: .releasing) }
  }
}

/// Sealed bytes that a full disk keeps in memory.
struct StalledWrite {
  let segment: OpenSegment
  let offset: Int
  let bytes: [UInt8]
  /// Whether the segment is complete with these bytes.
  let completes: Bool
}
