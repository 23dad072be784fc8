internal import Storage

/// How much room there is for the writes of a space.
package enum RoomState: Sendable, Comparable {
  /// Not even a commit can be written.
  case none
  /// Commits, heads and cleaning take from the reserve; new data is refused.
  case reserveOnly
  /// Little is left for new data, so nothing is kept only for copies of the vault in progress.
  case tight
  /// There is enough.
  case ample
}

/// The purpose of a request for room.
package enum RoomUse: Sendable {
  /// Data that was admitted for a caller. It does not use the reserve, except for one segment that admitted data may
  /// share.
  case data
  /// Data for which room was promised. It leaves the room that cleaning leaves, and a segment for cleaning.
  case allocated
  /// Copies that cleaning makes. They leave room for a commit, and for the heads that follow it.
  case cleaning
  /// A commit. It leaves room for the heads that must be written before a deletion frees room, even if the next mount
  /// writes them.
  case commit
  /// A head, which may use all room.
  case head
}

/// Room in and around a space, in bytes.
package struct SpaceCapacity: Sendable {
  /// Size of the file system that holds the vault.
  package var totalBytes: Int64
  /// Free room there, including the part that the host keeps for root.
  package var freeBytes: Int64
  /// Free for new data, after the reserve.
  package var availableBytes: Int64
  /// Held by this space's own segments.
  package var usedBytes: Int64
  /// The bytes that fit into a space that owns cover; nil if it owns none and uses the room of the file system.
  package var ownBytes: Int64?
}

/// The room that the disk reports, and the part of it that this space holds.
struct RoomMeasure {
  let host: StorageCapacity
  let segmentSize: Int
  /// Bytes left in the segment that is being written.
  let rest: Int64
  /// Whether this mount has begun an epoch.
  let isBegun: Bool
  /// Free on the disk or held by the reserve.
  let pool: Int64
  /// Bytes that new data must not use.
  let reserve: Int64

  /// Bytes that a use must leave free.
  private func floor(for use: RoomUse) -> Int64 {
    let segments: Int
    switch use {
    case .data: return reserve - Int64(segmentSize)
    // One segment more for cleaning, so that overwritten data can be freed.
    case .allocated: segments = RoomBudget.segmentsBesideCleaning + 1
    case .cleaning: segments = RoomBudget.segmentsBesideCleaning
    // The segments that are left for a commit include the head of a mount's first epoch.
    case .commit: segments = RoomBudget.segmentsToDelete - (isBegun ? 0 : 1)
    case .head: segments = 0
    }
    return Int64(segments * segmentSize)
  }

  /// Whole segments that may be begun for a use.
  func segments(for use: RoomUse) -> Int64 { max(0, (pool - floor(for: use)) / Int64(segmentSize)) }

  /// Whether `count` bytes may be written for a use, beginning in the open segment. When a part of the reserve is
  /// missing, the rest of the open segment is for commits only.
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
