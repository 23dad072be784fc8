// Cover that a space owns.
//
// Invariants
// 1. Slots, segments and cover of the space are together `OwnerTable.fileCount` files. For each file that is made one
//    goes: cover that was never used, in its order, then the segment that died first of those that nothing needs.
// 2. The new file is there, with its room, before another goes, and a head is durable: it still states what goes for it,
//    so that after a crash nobody's file is left. There is one too many for a moment. On a full host one goes before,
//    durably. What went so, or was lost, is owed: for the next new file none goes.
// 3. Slots, segments, cover in the table, and what is owed, are as many, but for slots that are being written again, and
//    cover that could not be deleted. For one new file only one goes to make room, whoever took the room.
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

  /// Makes the file of a segment, with its room. In a space that owns cover another one goes when `deleteReplaced` is
  /// called.
  ///
  /// - Throws: `.fileExists`; `.noSpace`, with nothing changed.
  func makeFile(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    guard ownsCover else { return try createFile(identifier) }
    guard unneededCount > 0 else { throw .noSpace }
    let writer = try createFile(identifier)
    noteMade()
    return writer
  }

  /// Notes that a file was made, for which another one is to go.
  func noteMade() {
    replaced.hasMadeRoom = false
    replaced.owed -= 1
  }

  /// Deletes files that nothing needs, for as many that were made, unless the space was closed for writing; the next mount
  /// puts that right. It does so without the lock, since deleting one takes milliseconds.
  mutating func deleteReplaced() {
    var failures = 0
    while gate.isOpen, replaced.owed < 0, let file = takeUnneeded() {
      replaced.owed += 1
      replaced.beingDeleted += 1
      let context = context
      let isDeleted = unlocked { (try? context.delete(file)) != nil }
      replaced.beingDeleted -= 1
      announce()
      if isDeleted {
        durability.newNames.append(file.name)
      } else {
        replaced.owed -= 1
        keep(file)
        failures += 1
        if failures == Self.mostFailures { return }
      }
    }
  }

  /// How many files that cannot be deleted are passed over for others.
  private static let mostFailures = 3

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

  /// Calls `body`, which makes the files of a head, again when room was made for it on a full host.
  ///
  /// - Throws: what `body` does; `.noSpace` when no room can be made.
  mutating func makingHostRoom<Result>(
    _ body: (inout LockedLog) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    while true {
      do throws(VaultError) {
        return try body(&self)
      } catch {
        guard error == .hostFull else { throw error }
      }
      let hasRoom = makeHostRoom(since: replaced.timesRoomWasMade, isOfEpoch: true)
      try gate.requireOpen()
      if !hasRoom { throw refusal() }
    }
  }

  /// Makes room for a file on a host that is full: deletes the first file that nothing needs, durably and without the
  /// lock. What is missing makes no room. Several threads make it one after the other.
  ///
  /// - Parameters:
  ///   - times: `timesRoomWasMade` when what found the host full had not found it so yet.
  ///   - isOfEpoch: whether the beginning of an epoch waits for the caller. Others wait for it.
  /// - Returns: whether room was made since; false also if it was made before in vain.
  mutating func makeHostRoom(since times: Int, isOfEpoch: Bool = false) -> Bool {
    while replaced.isMakingRoom || (tail.isBeginningEpoch && !isOfEpoch) { wait() }
    if replaced.timesRoomWasMade != times { return true }
    if replaced.hasMadeRoom || !gate.isOpen { return false }
    replaced.isMakingRoom = true
    // Others may take the room as soon as it is there (`noteMade`).
    replaced.hasMadeRoom = true
    replaced.beingDeleted += 1
    defer {
      replaced.isMakingRoom = false
      replaced.beingDeleted -= 1
      announce()
    }
    while let wasThere = deleteNext() {
      if !wasThere { continue }
      let storage = context.storage
      // btrfs gives the room of what is deleted when all of it is durable.
      unlocked { try? storage.flushAll() }
      replaced.timesRoomWasMade += 1
      return true
    }
    replaced.hasMadeRoom = false
    return false
  }

  /// Deletes the file that goes next, without the lock, and says whether it was there; nil if there is none, or it cannot
  /// be deleted.
  private mutating func deleteNext() -> Bool? {
    for _ in 0..<Self.mostFailures {
      guard let file = takeUnneeded() else { return nil }
      replaced.owed += 1
      let context = context
      if let wasThere = unlocked({ try? context.delete(file) }) {
        durability.newNames.append(file.name)
        return wasThere
      }
      replaced.owed -= 1
      keep(file)
    }
    return nil
  }

  /// Takes the file that goes next; nil if there is none.
  private func takeUnneeded() -> UnneededFile? {
    if let file = owner?.takeCover() {
      return UnneededFile(name: context.keys.coverIdentifier(file), kind: .cover)
    }
    guard let dead = catalog.takeDead() else { return nil }
    return unneeded(dead)
  }

  /// The file of a segment that nothing needs.
  func unneeded(_ dead: DeadSegment) -> UnneededFile {
    cache.remove(dead.number)
    return UnneededFile(name: context.keys.identifier(dead.number, branch: dead.branch), kind: .segment(dead))
  }

  /// Takes back a file that cannot be deleted. A segment is left alone until the next head, cover until the next mount.
  func keep(_ file: UnneededFile) {
    guard case .segment(let dead) = file.kind else { return }
    catalog.putBack(dead)
    catalog.passOver(dead.number)
  }

  /// Deletes the files of a head that was not completed, without the lock: its number is free again, and the number of
  /// files stays.
  mutating func withdrawHead(of epoch: EpochNumber) {
    guard ownsCover, let entry = catalog.epochs[epoch] else { return }
    let context = context
    for number in entry.segments(of: epoch).reversed() where gate.isOpen {
      cache.remove(number)
      let name = context.keys.identifier(number, branch: entry.branch)
      let isDeleted = unlocked {
        // Another machine may have put its own there.
        !context.isOfAnotherBranch(name, than: entry.branch) && (try? context.storage.delete(name)) != nil
      }
      if !isDeleted { return }
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

extension LogContext {
  /// Deletes a file that nothing needs, and says whether it was there.
  ///
  /// - Throws: also when it has to be wiped and cannot be.
  func delete(_ file: UnneededFile) throws(Errno) -> Bool {
    if try isGone(file) { return false }
    let wasThere = try storage.exists(file.name)
    try storage.delete(file.name)
    return wasThere
  }

  /// Whether another branch has taken the name of a dead head. A segment under the previous key is wiped, if it must be.
  ///
  /// - Throws: when it cannot be wiped. Then it has to stay: re-keying does not end while there is a segment under the
  ///   previous key.
  func isGone(_ file: UnneededFile) throws(Errno) -> Bool {
    guard case .segment(let dead) = file.kind else { return false }
    if dead.number.index == 0, isOfAnotherBranch(file.name, than: dead.branch) { return true }
    guard mustWipe(dead.number) else { return false }
    do throws(Errno) {
      try storage.wipe(file.name)
    } catch .noSpace, .diskQuotaExceeded {
      // Where that takes room it is written elsewhere, and wipes nothing.
    }
    return false
  }
}

/// A file of a space that nothing needs.
struct UnneededFile {
  enum Kind {
    case cover
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
  /// Files that are being deleted without the lock. No head is written meanwhile: it would no longer state them, and
  /// their deletion would not be durable.
  var beingDeleted = 0
  /// Whether a thread makes room for a file on a full host.
  var isMakingRoom = false
  /// How often room was made on a full host.
  var timesRoomWasMade = 0
  /// Whether no file was made since.
  var hasMadeRoom = false
}
