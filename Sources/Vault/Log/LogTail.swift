// The end of the log.
//
// Invariants
// 1. Tickets define the order of the log. Runs are written in that order, front to back, each offset once.
// 2. If the disk is full, a run stays in `stalled` as ciphertext, because only the same bytes may be written at its
//    offset. Nothing after it is written before it.
// 3. A mount never appends to segments of an earlier mount: `current` is nil until this mount has begun an epoch.

internal import Crypto
internal import Storage

/// The end of a log, and the runs in flight to the storage.
struct LogTail {
  /// The open segment; nil before the first write of a mount.
  var current: OpenSegment?
  /// The segment in which the log ends.
  var segment: SegmentNumber
  /// The offset of the next record in it.
  var end: Int
  /// The chain value there.
  var chain: [UInt8]
  /// The number of the newest commit.
  var sequence: UInt64
  /// Records since the head of the epoch.
  var recordsSinceHead = 0
  /// Bytes of all records of file data since the space was opened, except the copies that cleaning makes.
  var dataBytes: Int64 = 0
  /// The previous segment and the end of its records, if the segment still has to be padded. It is padded before the
  /// next write.
  var incomplete: (segment: OpenSegment, end: Int)?

  /// The ticket of the next run to be reserved, and of the next run to be written.
  var nextTicket: UInt64 = 0
  var writtenTicket: UInt64 = 0
  /// The end of the last written run.
  var writtenEnd: LogPosition
  var stalled: [StalledWrite] = []

  /// Whether a thread is beginning an epoch. During this no other thread reserves room.
  var isBeginningEpoch = false
  /// Whether a commit is between its reservation and the page map. During this no other commit begins, and only the
  /// commit itself begins an epoch.
  var isCommitting = false
  /// Whether a part of a commit's records has places, while room is made for the rest on a full host. During this no
  /// other thread reserves room, so that the records of the commit follow each other.
  var isPlacingCommit = false

  /// Whether no run is in flight.
  var isQuiet: Bool { writtenTicket == nextTicket }

  /// The position of the next record.
  var position: LogPosition { LogPosition(segment: segment, offset: end) }

  /// The end of a recovered log.
  init(_ state: RecoveredState) {
    segment = state.end.segment
    end = state.end.offset
    chain = state.chain
    sequence = state.sequence
    writtenEnd = state.end
  }

  /// The start of the epoch that follows the log ending at `before`.
  init(epoch: EpochNumber, after before: LogTail, in segment: OpenSegment) {
    self = before
    current = segment
    self.segment = SegmentNumber(epoch: epoch, index: 0)
    end = SegmentFormat.recordsStart
    recordsSinceHead = 0
    incomplete = nil
  }
}

/// A segment that is being written or waits for its flush.
struct OpenSegment {
  let number: SegmentNumber
  let identifier: SegmentIdentifier
  let writer: any SegmentWriter
  let key: SealingKey
  /// Salt and sealed header. The first run of the segment includes them.
  let start: [UInt8]
}

/// Sealed bytes that wait in memory because the disk is full.
struct StalledWrite {
  let segment: OpenSegment
  let offset: Int
  let bytes: [UInt8]
  /// Whether these bytes complete the segment.
  let completes: Bool
}
