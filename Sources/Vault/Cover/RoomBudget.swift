// Where room is decided: who may write, who waits for what, and who is told that the disk is full.
//
// Invariants
// 1. Each request is answered here: `RoomAnswer`. What was granted before counts no more once somebody was refused.
// 2. The reserve is held on the disk, so that a deletion always commits, and that a full disk can be cleaned. A space that
//    owns cover has its own files for that.
// 3. Room that is promised is held beside the reserve.

internal import Storage
internal import SystemPackage

/// The room of a space on the disk: what is held, and what was granted.
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

  private let storage: any Storage
  private let segmentSize: Int
  /// Whether room is held; not in a space that owns cover.
  private let holdsReserve: Bool
  private var reserve: (any HeldRoom)?
  /// Whether the storage can hold room, as far as is known.
  private(set) var canHold = true
  /// Bytes that the reserve holds now.
  private(set) var held = 0
  /// Bytes for which there was room when the disk was asked last.
  private var granted: Int64 = 0
  /// Bytes that are held for allocated ranges of files, beside the reserve.
  private(set) var promised: Int64 = 0
  /// Bytes that may be missing of promised room before a round of cleaning is asked for, which gains more the more of
  /// that is left.
  private var allowedDeficit: Int64 = 0

  init(of storage: any Storage, segmentSize: Int, holdsReserve: Bool) {
    (self.storage, self.segmentSize, self.holdsReserve) = (storage, segmentSize, holdsReserve)
  }

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

  // MARK: The reserve

  /// Asks the disk, also in a space that owns cover.
  func measureHost(rest: Int = 0, isBegun: Bool = true) -> RoomMeasure {
    let host = storage.capacity()
    // Where room cannot be held, the rest of the open segment is still free on the disk.
    let free = canHold ? host.free : max(0, host.free - Int64(rest))
    let reserve = Self.reserveSize(total: host.total, segmentSize: segmentSize)
    return RoomMeasure(
      host: host, segmentSize: segmentSize, rest: Int64(rest), isBegun: isBegun, pool: free + Int64(held),
      reserve: Int64(reserve) + promised)
  }

  /// Asks the space's own files what a disk is asked otherwise: so many are in all, and can be made.
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
    // A file takes more than its content: its inode, its name, and where its blocks are.
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
        // Others may have been faster, or the file took more than was thought.
        guard holdsReserve else { throw .noSpace }
        release(segmentSize)
        try segment.hold(upTo: segmentSize)
      }
    } catch .noSpace, .diskQuotaExceeded {
      throw .noSpace
    } catch {
      // Where room cannot be held, a full disk is met by the write.
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
      // Somebody else was faster.
    } catch {
      canHold = false
      held = 0
      reserve = nil
    }
  }

  // MARK: Answers

  /// The error of a caller without room. Nobody is admitted any more on what was granted before.
  mutating func refusal() -> VaultError {
    granted = 0
    return .noSpace
  }

  /// Takes `count` bytes from what was granted; false when there is not as much.
  mutating func take(_ count: Int64) -> Bool {
    guard count <= granted else { return false }
    granted -= count
    return true
  }

  /// Whether there is room for `count` bytes more than the `waiting` ones that were admitted before. Then more is granted
  /// without another look at the disk; others may fill the disk as well, so it is not for long.
  mutating func admit(_ count: Int64, waiting: Int64, in measure: RoomMeasure) -> Bool {
    let left = measure.forData - waiting
    guard count + count / 64 < left else { return false }
    granted = min(left / 16, 64 << 20)
    return true
  }

  /// The answer to a caller without other room than what was promised.
  mutating func answerAllocated(_ count: Int64, waiting: Int64, in measure: RoomMeasure) -> RoomAnswer {
    // What was written took more than its share: garbage that cleaning gives back.
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

  /// Holds room for `bytes` of files, which are all that are allocated and not written, more than the `waiting` bytes that
  /// were admitted before. Either all of the room is held, or the promise stays what it was.
  ///
  /// - Parameter isStalled: whether what was written before finds no room.
  mutating func promise(
    _ bytes: Int64, waiting: Int64, isStalled: Bool, in measure: RoomMeasure
  ) throws(PromiseFailure) {
    let old = promised
    let new = Self.room(forAllocated: bytes, segmentSize: segmentSize)
    if new <= old { return notePromised(bytes) }
    guard canHold || !holdsReserve else { throw .cannotHold }
    guard !isStalled, new - old <= measure.pool - measure.reserve - waiting - waiting / 64 else { throw .noSpace }
    promised = new
    // What was granted was measured without this.
    granted = 0
    guard holdsReserve else { return }
    holdReserve()
    // Room is held in steps of a segment.
    if canHold, Int64(held + segmentSize) > measure.reserve + new - old { return }
    promised = old
    holdReserve()
    if canHold { throw .noSpace } else { throw .cannotHold }
  }

  /// Notes what is left of the promises.
  mutating func notePromised(_ bytes: Int64) {
    let old = promised
    promised = Self.room(forAllocated: bytes, segmentSize: segmentSize)
    // Others may have what is not needed any more; each segment of it is soon enough.
    if held > 0, promised / Int64(segmentSize) < old / Int64(segmentSize) { holdReserve() }
  }

  /// Gives everything back.
  mutating func end() {
    reserve = nil
    held = 0
    granted = 0
  }
}
