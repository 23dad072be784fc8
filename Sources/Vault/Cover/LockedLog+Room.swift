internal import Storage
internal import SystemPackage

/// What the log asks its budget.
extension LockedLog {
  /// Bytes left in the segment that is being written.
  var rest: Int { tail.current == nil ? 0 : context.segmentSize - tail.end }

  /// What fits into the space's own files, in bytes; nil if it owns no cover.
  var ownBytes: Int64? {
    guard pool.ownsCover, let files = pool.table?.fileCount else { return nil }
    return RoomBudget.usableBytes(files: Int64(files), segmentSize: context.segmentSize)
  }

  /// Asks the disk, or in a space that owns cover its own files.
  func measureRoom() -> RoomMeasure { measureRoom(rest: rest, isBegun: tail.current != nil) }

  private func measureRoom(rest: Int, isBegun: Bool = true) -> RoomMeasure {
    guard pool.ownsCover, let files = pool.table?.fileCount else {
      return room.measureHost(rest: rest, isBegun: isBegun)
    }
    let available = pool.availableCount(dead: catalog.deletable.count)
    return room.measureOwn(fileCount: files, available: available, rest: rest, isBegun: isBegun)
  }

  /// - Throws: `.noSpace` when `count` bytes cannot be written for `use`. Nobody is admitted on what was granted
  ///   before.
  func requireRoom(_ count: Int, for use: RoomUse) throws(VaultError) {
    if !measureRoom().fits(count, for: use) { throw room.refusal() }
  }

  /// Makes room for a segment that follows the present one, from the reserve where the disk has not even that much.
  ///
  /// - Throws: `.noSpace` when `use` may not have it.
  func makeRoom(for use: RoomUse) throws(VaultError) {
    guard measureRoom(rest: 0).segments(for: use) > 0 else { throw room.refusal() }
    room.takeFromReserve(context.segmentSize)
  }

  /// Whether there is room for `count` bytes more than the `waiting` ones that were admitted before.
  func admit(_ count: Int64, waiting: Int64) -> Bool {
    if room.take(count) { return true }
    return tail.stalled.isEmpty && room.admit(count, waiting: waiting, in: measureRoom())
  }
}
