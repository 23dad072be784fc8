// Of the files of a space that owns cover, those that its log does not need.
//
// Invariants
// 1. The slots, segments and cover of the space are together `OwnerTable.fileCount` files. For each file that is
//    created, another is deleted: first cover that was never used, in its order, then, of the segments that nothing
//    needs, the one that died first.
// 2. The new file exists, with its room, before another is deleted, and a new head is durable before a file is deleted
//    for it. That head still states the file that is deleted, so a crash leaves no file without an owner. For a moment
//    there is one file too many. On a full host, a file is deleted first, durably. Files that were deleted in this way
//    or were lost are missing: for each of them, one new file is created without a deletion.
// 3. Slots, segments, cover in the table, and missing files add up to that number, except slots that are being written
//    again and cover that could not be deleted. To make room for one new file only one file is deleted, even if another
//    writer takes the room.
// 4. Cover is used in its order, so the table in the newest head leads to the cover that is left.
// 5. A file that must be wiped, but cannot be, stays.
// 6. A segment that only a snapshot needs is dead, like every other segment that nothing needs, and is deleted in its
//    turn (Snapshots.swift).

internal import Storage

/// The files of a space that nothing needs. Dead segments stay in the catalog until they are deleted, because heads
/// state them.
struct FilePool {
  /// The owner table of the next head; nil in a space without such a table.
  var table: OwnerTable?
  /// How many files are missing. A negative number counts the files that are too many until others are deleted.
  private(set) var missingCount = 0
  /// The number of files that are being deleted without the lock. A head that is written during this would no longer
  /// state the files, but their deletion would not be durable.
  private(set) var beingDeleted = 0
  /// Whether a thread makes room for a file on a full host.
  private(set) var isMakingRoom = false
  /// How often room was made on a full host.
  private(set) var timesRoomWasMade = 0
  /// Whether room was made and no file was created since.
  private(set) var hasRoom = false

  init(_ table: OwnerTable?) { self.table = table }

  /// Whether the space owns cover. Then the cover is its only room.
  var ownsCover: Bool { (table?.fileCount ?? 0) > 0 }

  /// How many files can be created by deleting others, if `dead` segments are dead.
  func availableCount(dead: Int) -> Int { (table?.coverCount ?? 0) + dead + missingCount }

  /// Whether files are being deleted. During this no head is written.
  var isBusy: Bool { beingDeleted > 0 || isMakingRoom }

  /// Sets how many files are missing, after a count of the space's files.
  mutating func reconcile(missing: Int) { missingCount = missing }

  /// Notes that a file was created, for which another must be deleted.
  mutating func noteMade() {
    hasRoom = false
    missingCount -= 1
  }

  /// Notes that a file of the space was deleted.
  mutating func noteDeleted() { missingCount += 1 }

  /// Takes the next file to delete; the caller deletes it without the lock. Nil if there is none.
  mutating func beginDeletion(_ catalog: inout SegmentCatalog, _ keys: SpaceKeys) -> PoolFile? {
    guard let file = take(from: &catalog, keys) else { return nil }
    beingDeleted += 1
    noteDeleted()
    return file
  }

  /// Notes how a deletion ended. If it failed, a segment is tried again only after the next head, and cover only by the
  /// next mount.
  mutating func endDeletion(of file: PoolFile, isGone: Bool, _ catalog: inout SegmentCatalog) {
    beingDeleted -= 1
    if !isGone { missingCount -= 1 } else if let segment = file.segment { catalog.remove([segment.number]) }
  }

  private mutating func take(from catalog: inout SegmentCatalog, _ keys: SpaceKeys) -> PoolFile? {
    if let file = table?.takeCover() { return PoolFile(file, keys) }
    return catalog.takeDead().map { PoolFile($0, keys) }
  }

  /// Takes a file under the previous key; nil if there is none.
  mutating func takePrevious(from catalog: inout SegmentCatalog, _ keys: SpaceKeys) -> PoolFile? {
    if let file = table?.takePreviousCover() { return PoolFile(file, keys) }
    return catalog.takeDead(before: keys.boundary).map { PoolFile($0, keys) }
  }

  /// Begins to make room on a full host. Other threads may take the room as soon as it exists.
  mutating func beginMakingRoom() { (isMakingRoom, hasRoom) = (true, true) }

  /// Ends making room; `isMade` is whether a file was deleted.
  mutating func endMakingRoom(isMade: Bool) {
    isMakingRoom = false
    if isMade { timesRoomWasMade += 1 } else { hasRoom = false }
  }

  /// Notes that a write has taken the room that was made.
  mutating func noteRoomTaken() { hasRoom = false }
}

/// A file of a space that nothing needs.
struct PoolFile {
  let name: SegmentIdentifier
  /// The dead segment in it; nil in cover.
  let segment: DeadSegment?

  init(_ cover: CoverFile, _ keys: SpaceKeys) { (name, segment) = (keys.coverIdentifier(cover), nil) }

  init(_ dead: DeadSegment, _ keys: SpaceKeys) {
    (name, segment) = (keys.identifier(dead.number, branch: dead.branch), dead)
  }
}
