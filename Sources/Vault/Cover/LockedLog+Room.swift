internal import Storage
internal import SystemPackage

/// The questions of the log to its room budget.
extension LockedLog {
  /// Bytes left in the segment that is being written.
  var rest: Int { tail.current == nil ? 0 : context.segmentSize - tail.end }

  /// The bytes of data that fit into the space's own files; nil if it owns no cover.
  var ownBytes: Int64? {
    guard pool.ownsCover, let files = pool.table?.fileCount else { return nil }
    return RoomBudget.usableBytes(files: Int64(files), segmentSize: context.segmentSize)
  }

  /// Measures the room on the disk, or within its own files in a space that owns cover.
  func measureRoom() -> RoomMeasure { measureRoom(rest: rest, isBegun: tail.current != nil) }

  private func measureRoom(rest: Int, isBegun: Bool = true) -> RoomMeasure {
    guard pool.ownsCover, let files = pool.table?.fileCount else {
      return room.measureHost(rest: rest, isBegun: isBegun)
    }
    let available = pool.availableCount(dead: catalog.deletable.count)
    return room.measureOwn(fileCount: files, available: available, rest: rest, isBegun: isBegun)
  }

  /// Requires room for `count` bytes. After a refusal, earlier grants no longer admit anything.
  ///
  /// - Throws: `.noSpace` when `count` bytes cannot be written for `use`.
  func requireRoom(_ count: Int, for use: RoomUse) throws(VaultError) {
    if !measureRoom().fits(count, for: use) { throw room.refusal() }
  }

  /// Makes room for a segment that follows the present one. Takes it from the reserve if the disk has too little.
  ///
  /// - Throws: `.noSpace` when `use` may not have it.
  func makeRoom(for use: RoomUse) throws(VaultError) {
    guard measureRoom(rest: 0).segments(for: use) > 0 else { throw room.refusal() }
    room.takeFromReserve(context.segmentSize)
  }

  /// Whether there is room for `count` bytes in addition to the `waiting` ones that were admitted before.
  func admit(_ count: Int64, waiting: Int64) -> Bool {
    if room.take(count) { return true }
    return tail.stalled.isEmpty && room.admit(count, waiting: waiting, in: measureRoom())
  }
}
