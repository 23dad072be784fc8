// The files of a space that owns cover: what of them no log needs.
//
// Invariants
// 1. Slots, segments and cover of the space are together `OwnerTable.fileCount` files. For each file that is made one
//    goes: cover that was never used, in its order, then the segment that died first of those that nothing needs.
// 2. The new file is there, with its room, before another goes, and a head is durable: it still states what goes for it,
//    so that after a crash nobody's file is left. There is one too many for a moment. On a full host one goes before,
//    durably. What went so, or was lost, is missing: for the next new file none goes.
// 3. Slots, segments, cover in the table, and what is missing, are as many, but for slots that are being written again,
//    and cover that could not be deleted. For one new file only one goes to make room, whoever took the room.
// 4. Cover is used in its order, so the table in the newest head leads to what is left.
// 5. What has to be wiped and cannot be stays.
// 6. What only a snapshot needs is dead like all else that nothing needs, and goes in its turn (Snapshots.swift).

internal import Storage

/// The files of a space that nothing needs. Dead segments stay in the catalog until they are gone, since heads state
/// them.
struct FilePool {
  /// What the next head states beside the log; nil in a space without such a table.
  var table: OwnerTable?
  /// So many files are missing. Below 0, so many are too many, until others are deleted.
  private(set) var missingCount = 0
  /// Files that are being deleted without the lock. A head that is written meanwhile would no longer state them, and
  /// their deletion would not be durable.
  private(set) var beingDeleted = 0
  /// Whether a thread makes room for a file on a full host.
  private(set) var isMakingRoom = false
  /// How often room was made on a full host.
  private(set) var timesRoomWasMade = 0
  /// Whether it was, and no file was made since.
  private(set) var hasRoom = false

  init(_ table: OwnerTable?) { self.table = table }

  /// Whether the space owns cover, and has no other room than that.
  var ownsCover: Bool { (table?.fileCount ?? 0) > 0 }

  /// How many files can be made that others go for, if so many segments are dead.
  func availableCount(dead: Int) -> Int { (table?.coverCount ?? 0) + dead + missingCount }

  /// Whether files are being deleted: no head is written meanwhile.
  var isBusy: Bool { beingDeleted > 0 || isMakingRoom }

  /// Sets how many files are missing, after the space's files were counted.
  mutating func reconcile(missing: Int) { missingCount = missing }

  /// Notes that a file was made, for which another one is to go.
  mutating func noteMade() {
    hasRoom = false
    missingCount -= 1
  }

  /// Notes that a file of the space was deleted.
  mutating func noteDeleted() { missingCount += 1 }

  /// Takes the file that goes next, to be deleted without the lock; nil if there is none.
  mutating func beginDeletion(_ catalog: inout SegmentCatalog, _ keys: SpaceKeys) -> PoolFile? {
    guard let file = take(from: &catalog, keys) else { return nil }
    beingDeleted += 1
    noteDeleted()
    return file
  }

  /// Notes how a deletion ended. A segment that could not be deleted is left alone until the next head, cover until the
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

  /// Begins to make room on a full host. Others may take it as soon as it is there.
  mutating func beginMakingRoom() { (isMakingRoom, hasRoom) = (true, true) }

  /// Ends that; `isMade` is whether a file went.
  mutating func endMakingRoom(isMade: Bool) {
    isMakingRoom = false
    if isMade { timesRoomWasMade += 1 } else { hasRoom = false }
  }

  /// Notes that room that was made was taken by a write.
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
