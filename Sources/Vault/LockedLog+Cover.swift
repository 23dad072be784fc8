// Cover that a space owns.
//
// Invariants
// 1. Slots, segments and cover of the space are together `OwnerTable.fileCount` files. A new segment displaces a file:
//    cover that was never used, in its order, then the segment that died first of those that nothing needs. Nothing
//    else is deleted.
// 2. The file that is displaced goes when the new one exists and has its room: there is a file too many for a moment.
//    Only where the host is full it goes before, and there is one too few.
// 3. Cover is used in its order, so the table in the newest head leads to what is left.

internal import Storage
internal import SystemPackage

extension LockedLog {
  /// Whether the space owns cover, and has no other room than that.
  var ownsCover: Bool { (owner?.fileCount ?? 0) > 0 }

  /// What fits into the space's own files, in bytes; nil if it owns no cover.
  var ownBytes: Int64? {
    guard ownsCover, let owner else { return nil }
    return RoomBudget.usableBytes(files: Int64(owner.fileCount), segmentSize: context.segmentSize)
  }

  /// Asks the space's own files what a disk is asked otherwise.
  func measureOwnRoom(rest: Int, isBegun: Bool) -> RoomMeasure {
    let segmentSize = context.segmentSize
    let total = Int64(owner?.fileCount ?? 0) * Int64(segmentSize)
    let free = Int64((owner?.coverCount ?? 0) + catalog.deletable.count) * Int64(segmentSize)
    return RoomMeasure(
      host: StorageCapacity(total: total, free: free), segmentSize: segmentSize, rest: Int64(rest), isBegun: isBegun,
      pool: free, reserve: Int64(RoomBudget.reserveSize(total: total, segmentSize: segmentSize)) + room.promised)
  }

  /// Deletes the file that a new segment displaces.
  func displace() {
    if let file = owner?.takeCover() {
      // If this fails, there is a file too many until the next mount.
      try? context.storage.delete(context.keys.coverIdentifier(file))
    } else if let segment = catalog.deletable.first {
      delete(segment)
    }
  }

  /// Deletes a segment that nothing needs.
  func delete(_ segment: SegmentNumber) {
    cache.remove(segment)
    _ = context.delete(segment, branch: catalog.branch(of: segment.epoch) ?? [])
    catalog.remove([segment])
  }
}
