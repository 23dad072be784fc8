// Cover that a space owns.
//
// Invariants
// 1. Slots, segments and cover of the space are together `OwnerTable.fileCount` files. A new segment displaces a file:
//    cover that was never used, in its order, then the segment that died first of those that nothing needs. Nothing
//    else is deleted.
// 2. The file that is displaced goes when the new one exists and has its room: there are a few files too many for a
//    moment. Only where the host is full it goes before, and there is one too few.
// 3. Slots, segments, unused cover in the table, and the files that are owed, are as many. What goes to make room and
//    is not followed by a new file is owed: until there is one, nothing else goes for it, whoever took the room.
// 4. Cover is used in its order, so the table in the newest head leads to what is left.

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
    let free = Int64((owner?.coverCount ?? 0) + catalog.deletable.count + owed.count) * Int64(segmentSize)
    return RoomMeasure(
      host: StorageCapacity(total: total, free: free), segmentSize: segmentSize, rest: Int64(rest), isBegun: isBegun,
      pool: free, reserve: Int64(RoomBudget.reserveSize(total: total, segmentSize: segmentSize)) + room.promised)
  }

  /// Makes room for a file on a host that is full, unless that was done before in vain: deletes the first file that a
  /// new one displaces. Cover that is missing makes no room.
  func makeHostRoom() {
    context.storage.deleteCover(displaced.take())
    while !owed.hasMadeRoom, let name = nextDisplaced {
      let isThere = (try? context.storage.exists(name)) ?? true
      guard displace() else { return }
      owed.count += 1
      owed.hasMadeRoom = isThere
    }
  }

  /// Deletes the file that a new one displaces, which exists now, unless one is owed.
  func displaceOrRepay() {
    if owed.count > 0 {
      owed.count -= 1
    } else if let file = owner?.takeCover() {
      displaced.names.append(context.keys.coverIdentifier(file))
      if displaced.hasThread { announce() }
    } else {
      displace()
    }
    owed.hasMadeRoom = false
  }

  /// Deletes the file that is displaced next; false if there is none, or it cannot be deleted.
  @discardableResult func displace() -> Bool {
    if let file = owner?.takeCover() {
      // If this fails, there is a file too many until the next mount.
      return (try? context.storage.delete(context.keys.coverIdentifier(file))) != nil
    }
    while let segment = catalog.deletable.first { if delete(segment) { return true } }
    return false
  }

  private var nextDisplaced: SegmentIdentifier? {
    var table = owner
    if let file = table?.takeCover() { return context.keys.coverIdentifier(file) }
    return catalog.deletable.first.map { context.keys.identifier($0, branch: catalog.branch(of: $0.epoch) ?? []) }
  }

  /// Deletes a segment that nothing needs. If that fails it is passed over until the next head, and still counts.
  @discardableResult func delete(_ segment: SegmentNumber) -> Bool {
    cache.remove(segment)
    guard context.delete(segment, branch: catalog.branch(of: segment.epoch) ?? []) else {
      catalog.passOver(segment)
      return false
    }
    catalog.remove([segment])
    return true
  }
}

extension Space {
  /// Leaves cover that is displaced to a thread that calls `runDeletion`, so that no write waits for that.
  package func beginDeletion() { log.locked { $0.displaced.hasThread = true } }

  /// Deletes cover as it is displaced, until `endDeletion` is called.
  package func runDeletion() {
    log.locked { log in
      while log.displaced.hasThread {
        let names = log.displaced.take()
        if names.isEmpty { log.wait() } else { log.unlocked { storage.deleteCover(names) } }
      }
    }
  }

  /// Ends the thread in `runDeletion`; from now on cover is deleted before the call that displaces it returns.
  package func endDeletion() {
    log.locked { log in
      log.displaced.hasThread = false
      log.announce()
    }
  }
}

extension Storage {
  /// Deletes cover that was displaced. If that fails, there is a file too many until the next mount.
  func deleteCover(_ names: [SegmentIdentifier]) { for name in names { try? delete(name) } }
}

/// Cover that was displaced and is there still. Deleting a file takes a millisecond or two, so it is not done under the
/// lock.
struct DisplacedCover {
  /// So many files too many are left to the thread.
  private static let most = 16

  var names: [SegmentIdentifier] = []
  /// Whether a thread deletes them.
  var hasThread = false

  /// Whether who releases the lock has nothing to delete.
  var isLeftToThread: Bool { hasThread && names.count <= Self.most }

  /// Gives what is to be deleted to the caller.
  mutating func take() -> [SegmentIdentifier] {
    defer { names = [] }
    return names
  }
}

/// What a space with cover gave up on a full host, and nothing took its place yet.
struct OwedFiles {
  /// So many files are missing.
  var count = 0
  /// Whether the last of them made room for a new file, which then was not made.
  var hasMadeRoom = false
}
