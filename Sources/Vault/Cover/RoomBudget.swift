internal import Storage
internal import SystemPackage

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

/// The reserve: room that is held on the disk so that a deletion always commits, and that a full disk can be cleaned.
struct RoomBudget {
  /// Heads that follow a deletion before what it gave up can go, a segment each.
  private static let headsToDelete = 2
  /// Segments that a mount takes to delete something: the head of its first epoch, in which the commit has room, too,
  /// and the heads that follow.
  static let segmentsToDelete = 1 + headsToDelete
  /// Segments that cleaning leaves: those, and a commit.
  static let segmentsBesideCleaning = segmentsToDelete + 1
  /// The most that a reserve takes, in bytes; on a small disk it is an eighth.
  private static let most = 48 << 20

  private var reserve: (any HeldRoom)?
  /// Whether the storage can hold room, as far as is known.
  private(set) var canHold = true
  /// Bytes that the reserve holds now.
  private(set) var held = 0
  /// Bytes for which there was room when the disk was asked last.
  private var granted: Int64 = 0
  /// Bytes that are held for allocated ranges of files, beside the reserve.
  var promised: Int64 = 0

  /// Bytes of the reserve on a medium of `total` bytes: what may wait in memory, and what deleting and cleaning take.
  static func reserveSize(total: Int64, segmentSize: Int) -> Int {
    max((segmentsBesideCleaning + 1) * segmentSize, min(most, Int(clamping: total / 8)))
  }

  /// Bytes that are held for `count` bytes of files that are allocated and not written: beside these a 16th for the
  /// headers and rows of what is written in blocks of 4096 bytes (about a 64th each), and for what commits leave among
  /// it and cleaning cannot gather; and two segments, since they are taken whole.
  static func room(forAllocated count: Int64, segmentSize: Int) -> Int64 {
    count <= 0 ? 0 : count + count / 16 + 2 * Int64(segmentSize)
  }

  /// Files of a space that owns cover beside data and reserve: two slots, the heads that the search needs, one for each
  /// bit of a number, and what cleaning keeps for itself.
  private static let filesBeside: Int64 = 2 + 31 + 4
  /// The part of the other files that data may fill. Cleaning leaves a fifth dead, and headers and the index take some.
  private static let usableShare = 0.8 * (1 - 1.0 / 256)

  /// Bytes of data that fit into `files` files of a space that owns cover.
  static func usableBytes(files: Int64, segmentSize: Int) -> Int64 {
    let size = Int64(segmentSize)
    let room = (files - filesBeside) * size - Int64(reserveSize(total: files * size, segmentSize: segmentSize))
    return max(0, Int64(Double(room) * usableShare))
  }

  /// The least number of files into which `bytes` of data fit; of more than any disk holds, as many as for 2^60 bytes.
  static func files(for bytes: Int64, segmentSize: Int) -> Int64 {
    let bytes = min(bytes, 1 << 60)
    var range: Range<Int64> = 0..<2 * (bytes / Int64(segmentSize)) + 1024
    while range.lowerBound < range.upperBound {
      let middle = (range.lowerBound + range.upperBound) / 2
      if usableBytes(files: middle, segmentSize: segmentSize) >= bytes {
        range = range.lowerBound..<middle
      } else {
        range = middle + 1..<range.upperBound
      }
    }
    return range.lowerBound
  }

  /// Holds `size` bytes, or as much of them as there is, in steps of a segment.
  mutating func hold(upTo size: Int, free: Int64, segmentSize: Int, in storage: any Storage) {
    guard canHold, size != held else { return }
    do throws(Errno) {
      let reserve: any HeldRoom
      if let known = self.reserve { reserve = known } else { reserve = try storage.holdRoom() }
      self.reserve = reserve
      let possible = held + Int(clamping: max(0, free)) / segmentSize * segmentSize
      let target = min(size, max(held, possible))
      if target == held { return }
      try reserve.resize(to: target)
      held = target
    } catch .noSpace, .diskQuotaExceeded {
      // Somebody else was faster.
    } catch {
      canHold = false
      held = 0
      reserve = nil
    }
  }

  /// Takes `count` bytes from what was granted; false when there is not as much.
  mutating func take(_ count: Int64) -> Bool {
    guard count <= granted else { return false }
    granted -= count
    return true
  }

  /// Grants room without another look at the disk. Others may fill the disk as well, so it is not for long.
  mutating func grant(_ count: Int64) { granted = count }

  /// Gives everything back.
  mutating func end() {
    reserve = nil
    held = 0
    granted = 0
  }
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
