internal import Storage
internal import SystemPackage

/// Where room is decided: who may begin a segment, and who is told that the disk is full.
extension LockedLog {
  /// Bytes left in the segment that is being written.
  var rest: Int { tail.current == nil ? 0 : context.segmentSize - tail.end }

  /// Asks the disk, or in a space that owns cover its own files.
  func measureRoom() -> RoomMeasure { measureRoom(rest: rest, isBegun: tail.current != nil) }

  private func measureRoom(rest: Int, isBegun: Bool = true) -> RoomMeasure {
    ownsCover ? measureOwnRoom(rest: rest, isBegun: isBegun) : measureHost(rest: rest, isBegun: isBegun)
  }

  /// Asks the disk, also in a space that owns cover.
  func measureHost(rest: Int = 0, isBegun: Bool = true) -> RoomMeasure {
    let host = context.storage.capacity()
    let segmentSize = context.segmentSize
    let rest = Int64(rest)
    // Where room cannot be held, the rest of the open segment is still free on the disk.
    let free = room.canHold ? host.free : max(0, host.free - rest)
    let reserve = RoomBudget.reserveSize(total: host.total, segmentSize: segmentSize)
    return RoomMeasure(
      host: host, segmentSize: segmentSize, rest: rest, isBegun: isBegun, pool: free + Int64(room.held),
      reserve: Int64(reserve) + room.promised)
  }

  /// Holds the reserve, or as much of it as there is room for. The reserve of a space that owns cover is that.
  func holdReserve() {
    if ownsCover { return }
    // The log's own segment has its room.
    let measure = measureRoom(rest: 0)
    room.hold(
      upTo: Int(clamping: measure.reserve), free: measure.host.free, segmentSize: context.segmentSize,
      in: context.storage)
  }

  /// - Throws: `.noSpace` when `count` bytes cannot be written for `use`. Nobody is admitted on what was granted
  ///   before.
  func requireRoom(_ count: Int, for use: RoomUse) throws(VaultError) {
    if !measureRoom().fits(count, for: use) { throw refusal() }
  }

  /// The error of who finds no room. Nobody is admitted any more on what was granted before.
  func refusal() -> VaultError {
    room.grant(0)
    return .noSpace
  }

  /// Makes room for a segment that follows the present one, from the reserve where the disk has not even that much.
  ///
  /// - Throws: `.noSpace` when `use` may not have it.
  func makeRoom(for use: RoomUse) throws(VaultError) {
    let measure = measureRoom(rest: 0)
    guard measure.segments(for: use) > 0 else { throw refusal() }
    takeFromReserve(context.segmentSize)
  }

  /// Gives up as much of the reserve as the disk lacks for `count` bytes of files.
  func takeFromReserve(_ count: Int) {
    if ownsCover { return }
    // A file takes more than its content: its inode, its name, and where its blocks are.
    let needed = count + max(64 << 10, count / 64)
    let missing = needed - Int(clamping: context.storage.capacity().free)
    if missing > 0 { release(missing) }
  }

  /// Holds the room of a new segment, so that no write of it finds the disk full.
  ///
  /// - Throws: `.noSpace`, with a part of it held.
  func holdRoom(of segment: any SegmentWriter) throws(Errno) {
    do throws(Errno) {
      do throws(Errno) {
        try segment.hold(upTo: context.segmentSize)
      } catch .noSpace, .diskQuotaExceeded {
        // Others may have been faster, or the file took more than was thought.
        if ownsCover { throw .noSpace }
        release(context.segmentSize)
        try segment.hold(upTo: context.segmentSize)
      }
    } catch .noSpace, .diskQuotaExceeded {
      throw .noSpace
    } catch {
      // Where room cannot be held, a full disk is met by the write.
    }
  }

  /// Gives up a part of the reserve.
  private func release(_ count: Int) {
    room.hold(upTo: max(0, room.held - count), free: 0, segmentSize: context.segmentSize, in: context.storage)
  }

  /// Whether there is room for `count` bytes more than the `waiting` ones that were admitted before.
  func admit(_ count: Int64, waiting: Int64) -> Bool {
    if room.take(count) { return true }
    if !tail.stalled.isEmpty { return false }
    let left = measureRoom().forData - waiting
    guard count + count / 64 < left else { return false }
    room.grant(min(left / 16, 64 << 20))
    return true
  }
}
