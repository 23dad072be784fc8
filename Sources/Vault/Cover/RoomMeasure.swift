internal import Storage

/// How much room there is for what a space has to write.
package enum RoomState: Sendable, Comparable {
  /// Not even a commit can be written.
  case none
  /// Commits, heads and cleaning take from the reserve; new data is refused.
  case reserveOnly
  /// Little is left for new data, so nothing is kept only for copies of the vault that are being made.
  case tight
  /// There is enough.
  case ample
}

/// What room is asked for.
package enum RoomUse: Sendable {
  /// Data that a caller was admitted with. It leaves the reserve, but for a segment that admitted data may share.
  case data
  /// Data for which room was promised. It leaves what cleaning leaves, and a segment for cleaning.
  case allocated
  /// What cleaning copies. It leaves room for a commit, and for what follows that.
  case cleaning
  /// A commit. It leaves room for the heads after which something can be deleted, also if the next mount writes them.
  case commit
  /// A head: whatever there is.
  case head
}

/// Room in and around a space, in bytes.
package struct SpaceCapacity: Sendable {
  /// Size of the file system that holds the vault.
  package var totalBytes: Int64
  /// Free there, what the host keeps for root included.
  package var freeBytes: Int64
  /// Free for new data, after the reserve.
  package var availableBytes: Int64
  /// Held by this space's own segments.
  package var usedBytes: Int64
  /// What fits into a space that owns cover; nil if it owns none, and has the room of the file system.
  package var ownBytes: Int64?
}

/// What the disk said, and what this space holds of it.
struct RoomMeasure {
  let host: StorageCapacity
  let segmentSize: Int
  /// Bytes left in the segment that is being written.
  let rest: Int64
  /// Whether this mount has begun an epoch.
  let isBegun: Bool
  /// Free on the disk or held by the reserve.
  let pool: Int64
  /// What new data leaves alone.
  let reserve: Int64

  /// What a use leaves alone.
  private func floor(for use: RoomUse) -> Int64 {
    let segments: Int
    switch use {
    case .data: return reserve - Int64(segmentSize)
    // A segment for cleaning, so that what is overwritten can go.
    case .allocated: segments = RoomBudget.segmentsBesideCleaning + 1
    case .cleaning: segments = RoomBudget.segmentsBesideCleaning
    // The head of a mount's first epoch is one of the segments that were left for it.
    case .commit: segments = RoomBudget.segmentsToDelete - (isBegun ? 0 : 1)
    case .head: segments = 0
    }
    return Int64(segments * segmentSize)
  }

  /// Whole segments that may be begun for a use.
  func segments(for use: RoomUse) -> Int64 { max(0, (pool - floor(for: use)) / Int64(segmentSize)) }

  /// Whether `count` bytes may be written for a use, beginning in the open segment. What is left of that segment when
  /// the reserve is not whole is for commits.
  func fits(_ count: Int, for use: RoomUse) -> Bool {
    switch use {
    case .data, .allocated, .cleaning: if pool < floor(for: use) { return false }
    case .commit, .head: break
    }
    return Int64(count) <= rest + segments(for: use) * Int64(segmentSize - SegmentFormat.recordsStart)
  }

  /// Bytes of new data that may be admitted.
  var forData: Int64 {
    let whole = max(0, (pool - reserve) / Int64(segmentSize))
    return pool < reserve ? 0 : rest + whole * Int64(segmentSize - SegmentFormat.recordsStart)
  }

  var state: RoomState {
    if forData >= min(host.total / 8, 256 << 20) { return .ample }
    if pool >= reserve { return .tight }
    return rest + pool >= Int64(segmentSize) ? .reserveOnly : .none
  }
}
