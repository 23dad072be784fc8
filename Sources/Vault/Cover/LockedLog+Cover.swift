// Cover that a space owns.
//
// Invariants
// 1. Slots, segments and cover of the space are together `OwnerTable.fileCount` files. For each file that is made one
//    goes: cover that was never used, in its order, then the segment that died first of those that nothing needs.
// 2. The new file is there, with its room, before another goes, and a head is durable: it still states what goes for it,
//    so that after a crash nobody's file is left. There is one too many for a moment. On a full host one goes before,
//    durably. What went so, or was lost, is owed: for the next new file none goes.
// 3. Slots, segments, cover in the table, and what is owed, are as many. For one new file only one goes to make room,
//    whoever took the room.
// 4. Cover is used in its order, so the table in the newest head leads to what is left.
// 5. What has to be wiped and cannot be stays.

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
    let free = Int64(max(0, unneededCount)) * Int64(segmentSize)
    return RoomMeasure(
      host: StorageCapacity(total: total, free: free), segmentSize: segmentSize, rest: Int64(rest), isBegun: isBegun,
      pool: free, reserve: Int64(RoomBudget.reserveSize(total: total, segmentSize: segmentSize)) + room.promised)
  }

  /// How many files can be made that another one makes room for.
  private var unneededCount: Int { (owner?.coverCount ?? 0) + catalog.deletable.count + replaced.owed }

  /// Makes the file of a segment, with its room. In a space that owns cover another one goes; for a head when
  /// `deleteReplaced` is called.
  ///
  /// - Throws: `.fileExists`; `.noSpace`, with nothing changed but what makes room the next time.
  func makeFile(_ identifier: SegmentIdentifier, isHead: Bool) throws(Errno) -> any SegmentWriter {
    guard ownsCover else { return try createFile(identifier) }
    guard unneededCount > 0 else { throw .noSpace }
    let writer = try replacing { () throws(Errno) in try createFile(identifier) }
    if !isHead { deleteReplaced() }
    return writer
  }

  /// Writes a file that is no segment. In a space that owns cover another one goes. Durable on return.
  ///
  /// - Throws: as `makeFile`, but not for want of another one to go: that goes later.
  func putFile(_ name: SegmentIdentifier, content: [UInt8]) throws(Errno) {
    try replacing { () throws(Errno) in
      try unsafe content.span.bytes.withUnsafeBytes { (content) throws(Errno) in
        try unsafe context.storage.putIfAbsent(name, content: content)
      }
    }
    deleteReplaced()
  }

  /// Calls `make`, which makes a file for which another one is to go.
  private func replacing<File>(_ make: () throws(Errno) -> File) throws(Errno) -> File {
    let file: File
    do throws(Errno) {
      file = try make()
    } catch .noSpace, .diskQuotaExceeded {
      guard makeHostRoom() else { throw .noSpace }
      file = try make()
    }
    replaced.hasMadeRoom = false
    replaced.owed -= 1
    return file
  }

  /// Deletes files that nothing needs, for as many that were made.
  func deleteReplaced() {
    while replaced.owed < 0, deleteNext() != nil { replaced.owed += 1 }
  }

  /// Creates a file and holds its room; leaves none if there is no room. Called again after files that can be opened again
  /// were closed, if too many are open.
  private func createFile(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    let writer: any SegmentWriter
    do throws(Errno) {
      writer = try context.storage.create(identifier)
    } catch .tooManyOpenFiles, .tooManyOpenFilesInSystem {
      cache.removeAll()
      writer = try context.storage.create(identifier)
    }
    do throws(Errno) {
      try holdRoom(of: writer)
    } catch {
      try context.storage.delete(identifier)
      throw error
    }
    return writer
  }

  /// Makes room for a file on a host that is full, unless that was done before in vain: deletes the first file that
  /// nothing needs. False if none was deleted. What is missing makes no room.
  func makeHostRoom() -> Bool {
    if replaced.hasMadeRoom { return false }
    while let wasThere = deleteNext() {
      replaced.owed += 1
      if !wasThere { continue }
      replaced.hasMadeRoom = true
      // btrfs gives the room of what is deleted when all of it is durable.
      try? context.storage.flushAll()
      return true
    }
    return false
  }

  /// Deletes the file that goes next, and says whether it was there; nil if there is none, or it cannot be deleted.
  func deleteNext() -> Bool? {
    while let file = takeUnneeded() {
      do throws(Errno) {
        guard try !isGone(file) else { return false }
        let wasThere = try context.storage.exists(file.name)
        try context.storage.delete(file.name)
        durability.newNames.append(file.name)
        return wasThere
      } catch {
        if !keep(file) { return nil }
      }
    }
    return nil
  }

  /// Takes the file that goes next; nil if there is none.
  private func takeUnneeded() -> UnneededFile? {
    if let file = owner?.takeCover() {
      return UnneededFile(name: context.keys.coverIdentifier(file), kind: .cover(file))
    }
    guard let dead = catalog.takeDead() else { return nil }
    cache.remove(dead.number)
    return UnneededFile(name: context.keys.identifier(dead.number, branch: dead.branch), kind: .segment(dead))
  }

  /// Takes back a file that cannot be deleted. Cover goes next again; a segment is left alone until the next head, and
  /// true is returned: there may be others.
  @discardableResult func keep(_ file: UnneededFile) -> Bool {
    switch file.kind {
    case .cover(let cover):
      owner?.putBack(cover)
      return false
    case .segment(let dead):
      catalog.putBack(dead)
      catalog.passOver(dead.number)
      return true
    }
  }

  /// Whether another branch has taken the name of a dead head. A segment under the previous key is wiped, if it must be.
  ///
  /// - Throws: when it cannot be wiped. Then it has to stay: re-keying does not end while there is a segment under the
  ///   previous key.
  func isGone(_ file: UnneededFile) throws(Errno) -> Bool {
    guard case .segment(let dead) = file.kind else { return false }
    if dead.number.index == 0, context.isOfAnotherBranch(file.name, than: dead.branch) { return true }
    guard context.mustWipe(dead.number) else { return false }
    do throws(Errno) {
      try context.storage.wipe(file.name)
    } catch .noSpace, .diskQuotaExceeded {
      // Where that takes room it is written elsewhere, and wipes nothing.
    }
    return false
  }

  /// Deletes the files of a head that was not completed: its number is free again, and the number of files stays.
  func withdrawHead(of epoch: EpochNumber) {
    guard ownsCover, let entry = catalog.epochs[epoch] else { return }
    for number in entry.segments(of: epoch).reversed() {
      cache.remove(number)
      let name = context.keys.identifier(number, branch: entry.branch)
      guard gate.isOpen, (try? context.storage.delete(name)) != nil else { continue }
      replaced.owed += 1
      catalog.withdraw(number)
    }
  }

  /// The files of the segments that the newest state does not need; older ones may.
  var retiredNames: [SegmentIdentifier] {
    Set(catalog.segments).subtracting(catalog.needed)
      .map { context.keys.identifier($0, branch: catalog.branch(of: $0.epoch) ?? []) }
  }
}

/// A file of a space that nothing needs.
struct UnneededFile {
  enum Kind {
    case cover(CoverFile)
    case segment(DeadSegment)
  }

  let name: SegmentIdentifier
  let kind: Kind
}

/// Files of a space that owns cover for which others went, or will.
struct ReplacedFiles {
  /// So many are missing: they were lost, or made room on a full host. Below 0, so many are too many, until others are
  /// deleted.
  var owed = 0
  /// Whether the last of them made room for a new file, which then was not made.
  var hasMadeRoom = false
}
