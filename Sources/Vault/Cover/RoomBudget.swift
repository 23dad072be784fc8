// Decides about room: who may write, when a caller waits, and when the disk counts as full.
//
// Invariants
// 1. Each request is answered here: `RoomAnswer`. After a refusal, earlier grants no longer count.
// 2. The reserve is held on the disk, so that a deletion always commits and a full disk can be cleaned. A space that
//    owns cover has its own files for that.
// 3. Promised room is held in addition to the reserve.

internal import Storage
internal import SystemPackage

/// The room of a space on the disk: held, granted and promised bytes.
struct RoomBudget {
  /// The heads that must follow a deletion before the deleted data frees room, a segment each.
  private static let headsToDelete = 2
  /// The segments that a mount needs to delete something: the head of its first epoch, which also has room for the
  /// commit, and the heads that follow.
  static let segmentsToDelete = 1 + headsToDelete
  /// The segments that cleaning leaves free: those for a deletion, and one for a commit.
  static let segmentsBesideCleaning = segmentsToDelete + 1
  /// The most that a reserve takes, in bytes; on a small disk it is an eighth.
  private static let most = 48 << 20

  private let storage: any Storage
  private let segmentSize: Int
  /// Whether room is held; not in a space that owns cover.
  private let holdsReserve: Bool
  private var reserve: (any HeldRoom)?
  /// Whether the storage can hold room, as far as is known.
  private(set) var canHold = true
  /// Bytes that the reserve holds now.
  private(set) var held = 0
  /// Bytes of free room that the last measurement of the disk granted.
  private var granted: Int64 = 0
  /// Bytes that are held for allocated ranges of files, in addition to the reserve.
  private(set) var promised: Int64 = 0
  /// Bytes that promised room may lack before a round of cleaning is requested. A round gains more the larger the
  /// shortage is.
  private var allowedDeficit: Int64 = 0

  init(of storage: any Storage, segmentSize: Int, holdsReserve: Bool) {
    (self.storage, self.segmentSize, self.holdsReserve) = (storage, segmentSize, holdsReserve)
  }

  /// Bytes of the reserve on a medium of `total` bytes: for data that waits in memory, and for deleting and cleaning.
  static func reserveSize(total: Int64, segmentSize: Int) -> Int {
    max((segmentsBesideCleaning + 1) * segmentSize, min(most, Int(clamping: total / 8)))
  }

  /// Bytes that are held for `count` bytes of files that are allocated but not written. A 16th is added for headers and
  /// rows of data that is written in blocks of 4096 bytes (about a 64th each), and for commits between the data that
  /// cleaning cannot gather. Two segments are added because segments are taken whole.
  static func room(forAllocated count: Int64, segmentSize: Int) -> Int64 {
    count <= 0 ? 0 : count + count / 16 + 2 * Int64(segmentSize)
  }

  /// Files of a space that owns cover, in addition to those for data and reserve: two slots, the heads that the search
  /// needs, one for each bit of a number, and the segments that cleaning keeps for itself.
  private static let filesBeside: Int64 = 2 + 31 + 4
  /// The part of the other files that data may fill. Cleaning leaves a fifth dead, and headers and the index take some.
  private static let usableShare = 0.8 * (1 - 1.0 / 256)

  /// Bytes of data that fit into `files` files of a space that owns cover.
  static func usableBytes(files: Int64, segmentSize: Int) -> Int64 {
    let size = Int64(segmentSize)
    let room = (files - filesBeside) * size - Int64(reserveSize(total: files * size, segmentSize: segmentSize))
    return max(0, Int64(Double(room) * usableShare))
  }

  /// The least number of files into which `bytes` of data fit. Sizes above 2^60 bytes, more than any disk holds, count
  /// as 2^60.
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

  // MARK: The reserve

  /// Measures the disk, also in a space that owns cover.
  func measureHost(rest: Int = 0, isBegun: Bool = true) -> RoomMeasure {
    let host = storage.capacity()
    // Where room cannot be held, the rest of the open segment is still free on the disk.
    let free = canHold ? host.free : max(0, host.free - Int64(rest))
    let reserve = Self.reserveSize(total: host.total, segmentSize: segmentSize)
    return RoomMeasure(
      host: host, segmentSize: segmentSize, rest: Int64(rest), isBegun: isBegun, pool: free + Int64(held),
      reserve: Int64(reserve) + promised)
  }

  /// Measures free room by the space's own file count: `fileCount` files in all, of which `available` can be created.
  func measureOwn(fileCount: UInt64, available: Int, rest: Int, isBegun: Bool) -> RoomMeasure {
    let total = Int64(fileCount) * Int64(segmentSize)
    let free = Int64(max(0, available)) * Int64(segmentSize)
    return RoomMeasure(
      host: StorageCapacity(total: total, free: free), segmentSize: segmentSize, rest: Int64(rest), isBegun: isBegun,
      pool: free, reserve: Int64(Self.reserveSize(total: total, segmentSize: segmentSize)) + promised)
  }

  /// Holds the reserve, or as much of it as there is room for.
  mutating func holdReserve() {
    guard holdsReserve else { return }
    // The log's own segment has its room.
    let measure = measureHost()
    hold(upTo: Int(clamping: measure.reserve), free: measure.host.free)
  }

  /// Gives up as much of the reserve as the disk lacks for `count` bytes of files.
  mutating func takeFromReserve(_ count: Int) {
    guard holdsReserve else { return }
    // A file takes more than its content: its inode, its name, and the list of its blocks.
    let needed = count + max(64 << 10, count / 64)
    let missing = needed - Int(clamping: storage.capacity().free)
    if missing > 0 { release(missing) }
  }

  /// Holds the room of a new segment, so that no write of it finds the disk full.
  ///
  /// - Throws: `.noSpace`, with a part of it held.
  mutating func holdRoom(of segment: any SegmentWriter) throws(Errno) {
    do throws(Errno) {
      do throws(Errno) {
        try segment.hold(upTo: segmentSize)
      } catch .noSpace, .diskQuotaExceeded {
        // Other programs may have been faster, or the file took more than was estimated.
        guard holdsReserve else { throw .noSpace }
        release(segmentSize)
        try segment.hold(upTo: segmentSize)
      }
    } catch .noSpace, .diskQuotaExceeded {
      throw .noSpace
    } catch {
      // On a file system that cannot hold room, a later write reports the full disk.
    }
  }

  /// Gives up a part of the reserve.
  private mutating func release(_ count: Int) { hold(upTo: max(0, held - count), free: 0) }

  /// Holds `size` bytes, or as much of them as there is, in steps of a segment.
  private mutating func hold(upTo size: Int, free: Int64) {
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
      // Another program was faster.
    } catch {
      canHold = false
      held = 0
      reserve = nil
    }
  }

  // MARK: Answers

  /// The error of a caller without room. Earlier grants no longer admit anything.
  mutating func refusal() -> VaultError {
    granted = 0
    return .noSpace
  }

  /// Takes `count` bytes from the granted ones; false when fewer are left.
  mutating func take(_ count: Int64) -> Bool {
    guard count <= granted else { return false }
    granted -= count
    return true
  }

  /// Whether there is room for `count` bytes in addition to the `waiting` ones that were admitted before. If so, it
  /// grants more without another look at the disk. The grant is small because other programs may fill the disk, too.
  mutating func admit(_ count: Int64, waiting: Int64, in measure: RoomMeasure) -> Bool {
    let left = measure.forData - waiting
    guard count + count / 64 < left else { return false }
    granted = min(left / 16, 64 << 20)
    return true
  }

  /// The answer to a caller whose only room is promised room.
  mutating func answerAllocated(_ count: Int64, waiting: Int64, in measure: RoomMeasure) -> RoomAnswer {
    // Written data took more than its share. Cleaning can free the garbage in it.
    let deficit = measure.reserve - measure.pool - measure.rest
    if deficit <= 0 { allowedDeficit = Int64(segmentSize) }
    if deficit > allowedDeficit {
      allowedDeficit = deficit + Int64(segmentSize)
      return .wait(.cleaningRound)
    }
    let sum = count + waiting
    return measure.fits(Int(sum + sum / 64), for: .allocated) ? .granted : .wait(.room)
  }

  // MARK: Promises

  /// Holds room for `bytes` of files, which is the total that is allocated but not written, in addition to the
  /// `waiting` bytes that were admitted before. Either all of the room is held, or the promise stays unchanged.
  ///
  /// - Parameter isStalled: whether earlier writes find no room.
  mutating func promise(
    _ bytes: Int64, waiting: Int64, isStalled: Bool, in measure: RoomMeasure
  ) throws(PromiseFailure) {
    let old = promised
    let new = Self.room(forAllocated: bytes, segmentSize: segmentSize)
    if new <= old { return notePromised(bytes) }
    guard canHold || !holdsReserve else { throw .cannotHold }
    guard !isStalled, new - old <= measure.pool - measure.reserve - waiting - waiting / 64 else { throw .noSpace }
    promised = new
    // The grant was measured without this promise.
    granted = 0
    guard holdsReserve else { return }
    holdReserve()
    // Room is held in steps of a segment.
    if canHold, Int64(held + segmentSize) > measure.reserve + new - old { return }
    promised = old
    holdReserve()
    if canHold { throw .noSpace } else { throw .cannotHold }
  }

  /// Notes how many promised bytes are left.
  mutating func notePromised(_ bytes: Int64) {
    let old = promised
    promised = Self.room(forAllocated: bytes, segmentSize: segmentSize)
    // Other programs may have the room that is no longer needed. Releasing it segment by segment is soon enough.
    if held > 0, promised / Int64(segmentSize) < old / Int64(segmentSize) { holdReserve() }
  }

  /// Gives everything back.
  mutating func end() {
    reserve = nil
    held = 0
    granted = 0
  }
}
