// Cover that a space owns.
//
// Invariants
// 1. Slots, segments and cover of the space are together `OwnerTable.fileCount` files. A new segment is written in the
//    place of a file: cover that was never used, in its order, then the segment that died first of those that nothing
//    needs.
// 2. Only where that cannot be, a file is made and the displaced one deleted: there is one too many for a moment. What
//    was deleted to make room on a full host, or was lost, is owed: a new file is made for it as soon as there is room.
// 3. Slots, segments, cover in the table, and what `LooseFiles` counts, are as many. For one new file only one goes to
//    make room, whoever took the room.
// 4. Cover is used in its order, so the table in the newest head leads to what is left.
// 5. What has to be wiped and cannot be is not displaced.
// 6. A head gets its name when it is durable. So no crash leaves a head that cannot be read, and its number is free
//    again if it is not completed.

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
    let count = (owner?.coverCount ?? 0) + catalog.deletable.count + loose.owed + loose.spare.count
    let free = Int64(count) * Int64(segmentSize)
    return RoomMeasure(
      host: StorageCapacity(total: total, free: free), segmentSize: segmentSize, rest: Int64(rest), isBegun: isBegun,
      pool: free, reserve: Int64(RoomBudget.reserveSize(total: total, segmentSize: segmentSize)) + room.promised)
  }

  /// The file for a new segment, with its room. In a space that owns cover it displaces another. A head that does so
  /// has no name of its own yet.
  ///
  /// - Throws: `.fileExists`; `.noSpace`, with nothing changed but what makes room the next time.
  func takeFile(for identifier: SegmentIdentifier, isHead: Bool) throws(Errno) -> SegmentSource {
    guard ownsCover else { return try createFile(identifier) }
    while true {
      do throws(Errno) {
        let source = try displace(for: identifier, isHead: isHead)
        loose.hasMadeRoom = false
        return source
      } catch .noSpace, .diskQuotaExceeded {
        guard makeHostRoom() else { throw .noSpace }
      }
    }
  }

  private func displace(for identifier: SegmentIdentifier, isHead: Bool) throws(Errno) -> SegmentSource {
    if loose.owed > 0, let source = try createOwed(identifier) { return source }
    while let displaced = takeDisplaced() {
      guard let isGone = try? isGone(displaced) else {
        passOver(displaced)
        continue
      }
      do throws(Errno) {
        if isGone { throw .noSuchFileOrDirectory }
        return try overwrite(displaced, as: isHead ? nil : identifier)
      } catch .noSuchFileOrDirectory {
        loose.owed += 1
        if let source = try createOwed(identifier) { return source }
      } catch {
        guard [.fileExists, .noSpace, .diskQuotaExceeded].contains(error) else {
          return try create(identifier, insteadOf: displaced)
        }
        giveBack(displaced)
        throw error
      }
    }
    throw .noSpace
  }

  /// Overwrites a file that is displaced. If there is no room for that, it gets its name back.
  private func overwrite(_ displaced: DisplacedFile, as identifier: SegmentIdentifier?) throws(Errno) -> SegmentSource {
    let writer = try withDescriptors { () throws(Errno) in
      try context.storage.reuse(displaced.name, as: identifier, size: context.segmentSize)
    }
    let source = SegmentSource(writer: writer, displaced: displaced)
    do throws(Errno) {
      try holdRoom(of: writer)
    } catch {
      if identifier != nil { try? writer.rename(to: displaced.name) }
      throw error
    }
    return source
  }

  /// Makes the file of a segment for one that is owed; nil if there is no room for it.
  private func createOwed(_ identifier: SegmentIdentifier) throws(Errno) -> SegmentSource? {
    do throws(Errno) {
      let source = try createFile(identifier)
      loose.owed -= 1
      return source
    } catch .noSpace, .diskQuotaExceeded {
      return nil
    }
  }

  /// Makes the file of a segment, and deletes the one that it displaces; the other way round where there is no room.
  private func create(
    _ identifier: SegmentIdentifier, insteadOf displaced: DisplacedFile
  ) throws(Errno) -> SegmentSource {
    do throws(Errno) {
      let source = try createFile(identifier)
      durability.newNames.append(displaced.name)
      // A segment that stays counts. Cover is a file too many until the next mount.
      if (try? context.storage.delete(displaced.name)) == nil { passOver(displaced) }
      return source
    } catch {
      giveBack(displaced)
      throw error
    }
  }

  /// Creates a file and holds its room; leaves none if there is no room.
  private func createFile(_ identifier: SegmentIdentifier) throws(Errno) -> SegmentSource {
    let writer = try withDescriptors { () throws(Errno) in try context.storage.create(identifier) }
    do throws(Errno) {
      try holdRoom(of: writer)
    } catch {
      try context.storage.delete(identifier)
      throw error
    }
    return SegmentSource(writer: writer)
  }

  /// Calls `body` again after closing files that can be opened again, if there are too many.
  private func withDescriptors(
    _ body: () throws(Errno) -> any SegmentWriter
  ) throws(Errno) -> any SegmentWriter {
    do throws(Errno) {
      return try body()
    } catch .tooManyOpenFiles, .tooManyOpenFilesInSystem {
      cache.removeAll()
      return try body()
    }
  }

  /// Writes a file that is no segment, in the place of one that nothing needs, if there is one.
  func putFile(_ name: SegmentIdentifier, content: [UInt8]) throws(Errno) {
    while let displaced = takeDisplaced() {
      guard let isGone = try? isGone(displaced) else {
        passOver(displaced)
        continue
      }
      if isGone {
        loose.owed += 1
        continue
      }
      do throws(Errno) {
        return try context.storage.replace(displaced.name, by: name, content: content)
      } catch {
        giveBack(displaced)
        throw error
      }
    }
    try unsafe content.span.bytes.withUnsafeBytes { (content) throws(Errno) in
      try unsafe context.storage.putIfAbsent(name, content: content)
    }
  }

  /// Takes the file that is displaced next; nil if there is none.
  private func takeDisplaced() -> DisplacedFile? {
    if let spare = loose.spare.popLast() { return spare }
    if let file = owner?.takeCover() { return DisplacedFile(name: context.keys.coverIdentifier(file), file: .cover) }
    guard let dead = catalog.takeDead() else { return nil }
    cache.remove(dead.number)
    return DisplacedFile(
      name: context.keys.identifier(dead.number, branch: dead.branch), file: .segment(dead))
  }

  /// Whether another branch has taken the name of a dead head. A segment under the previous key is wiped, if it must be.
  ///
  /// - Throws: when it cannot be wiped. Then it has to stay: re-keying does not end while there is a segment under the
  ///   previous key.
  func isGone(_ displaced: DisplacedFile) throws(Errno) -> Bool {
    guard case .segment(let dead) = displaced.file else { return false }
    if dead.number.index == 0, context.isOfAnotherBranch(displaced.name, than: dead.branch) { return true }
    guard context.mustWipe(dead.number) else { return false }
    do throws(Errno) {
      try context.storage.wipe(displaced.name)
    } catch .noSpace, .diskQuotaExceeded {
      // Where that takes room it is written elsewhere, and wipes nothing.
    }
    return false
  }

  /// Takes back a segment that cannot be displaced. It is left alone until the next head.
  func passOver(_ displaced: DisplacedFile) {
    guard case .segment(let dead) = displaced.file else { return }
    catalog.putBack(dead)
    catalog.passOver(dead.number)
  }

  /// Takes back a file that was to be overwritten: it is displaced next. It may be short. It is made whole here, since no
  /// other file may take its place meanwhile; if that fails, the next mount does it.
  func giveBack(_ displaced: DisplacedFile) {
    switch displaced.file {
    case .cover:
      loose.spare.append(displaced)
      if isShort(displaced.name) {
        var file = NewFile(cover: displaced.name, keys: context.keys)
        file.displaced = displaced.name
        try? context.storage.write([file], size: context.segmentSize)
      }
    case .segment(let dead):
      catalog.putBack(dead)
      if isShort(displaced.name) { try? context.storage.fill(displaced.name, size: context.segmentSize) }
    }
  }

  private func isShort(_ name: SegmentIdentifier) -> Bool {
    guard let size = try? context.storage.open(name).size() else { return false }
    return size < context.segmentSize
  }

  /// Makes room for a file on a host that is full, unless that was done before in vain: deletes the first file that is
  /// displaced. False if none was deleted. What is missing makes no room.
  func makeHostRoom() -> Bool {
    if loose.hasMadeRoom { return false }
    while let displaced = takeDisplaced() {
      let isThere = (try? context.storage.exists(displaced.name)) ?? true
      do throws(Errno) {
        if try !isGone(displaced) { try context.storage.delete(displaced.name) }
      } catch {
        giveBack(displaced)
        return false
      }
      loose.owed += 1
      loose.hasMadeRoom = isThere
      if isThere {
        // btrfs gives the room of what is deleted when all of it is durable.
        try? context.storage.flushAll()
        return true
      }
    }
    return false
  }

  /// Deletes the file that is displaced next, where there is one too many; false if there is none, or it cannot be
  /// deleted.
  @discardableResult func deleteDisplaced() -> Bool {
    guard let displaced = takeDisplaced() else { return false }
    do throws(Errno) {
      if try !isGone(displaced) { try context.storage.delete(displaced.name) }
      return true
    } catch {
      giveBack(displaced)
      return false
    }
  }

  /// Deletes cover that counts as used, for which new files are made as soon as there is room; false if that fails.
  func deleteSpare() -> Bool {
    while let spare = loose.spare.last {
      guard (try? context.storage.delete(spare.name)) != nil else { return false }
      loose.spare.removeLast()
      loose.owed += 1
    }
    return true
  }

  /// The files of the segments that the newest state does not need; older ones may.
  var retiredNames: [SegmentIdentifier] {
    Set(catalog.segments).subtracting(catalog.needed)
      .map { context.keys.identifier($0, branch: catalog.branch(of: $0.epoch) ?? []) }
  }
}

/// The heads of an epoch that is being begun.
extension LockedLog {
  /// Gives a head that is durable its name, and then the segments in which it goes on. Durable on return.
  ///
  /// - Throws: `.noSpace` when it has no name; `.readOnly` when the space was continued elsewhere, and `.system`, after
  ///   shutting the gate.
  mutating func nameHead() throws(VaultError) {
    let unnamed = loose.unnamed
    if unnamed.isEmpty { return }
    let storage = context.storage
    var hasName = false
    do throws(Errno) {
      try unlocked { () throws(Errno) in
        for (segment, displaced) in unnamed where displaced != nil {
          try segment.writer.rename(to: segment.identifier)
          hasName = true
        }
        try storage.flushNames(
          of: unnamed.flatMap { [$0.segment.identifier] + [$0.displaced?.name].compactMap(\.self) })
      }
      loose.unnamed = []
    } catch {
      if !hasName, error == .noSpace || error == .diskQuotaExceeded { throw .noSpace }
      loose.unnamed = []
      if error == .fileExists { throw continuedElsewhere() }
      throw fail(error, "naming the next head")
    }
  }

  /// Takes back the files of a head that was not completed.
  func withdrawHead() {
    for (segment, displaced) in loose.unnamed.reversed() {
      cache.remove(segment.number)
      if displaced == nil {
        guard gate.isOpen, (try? context.storage.delete(segment.identifier)) != nil else { continue }
        loose.owed += 1
      }
      catalog.withdraw(segment.number)
      if let displaced, gate.isOpen { giveBack(displaced) }
    }
    loose.unnamed = []
  }

  /// The error of who finds the name of a segment taken.
  func continuedElsewhere() -> VaultError {
    let reason = "the space was continued elsewhere: the next segment exists already"
    gate.shut(because: reason)
    announce()
    return .readOnly(gate.reason ?? reason)
  }
}

/// The file of a new segment.
struct SegmentSource {
  let writer: any SegmentWriter
  /// The file in whose place it is written; nil if the file is new.
  var displaced: DisplacedFile?
}

/// A file of the space that a new segment displaces.
struct DisplacedFile {
  enum Kind {
    case cover
    case segment(DeadSegment)
  }

  let name: SegmentIdentifier
  let file: Kind
}

/// Files of a space that owns cover which neither its table nor its catalog counts.
struct LooseFiles {
  /// So many are missing: they were lost, or made room on a full host, and nothing took their place yet.
  var owed = 0
  /// Whether the last of them made room for a new file, which then was not made.
  var hasMadeRoom = false
  /// Cover that counts as used and is there, since what was to be written in its place was not.
  var spare: [DisplacedFile] = []
  /// The segments of a head that is not durable yet, and the files whose names they have. One without such a file has
  /// its own name.
  var unnamed: [(segment: OpenSegment, displaced: DisplacedFile?)] = []

  /// The names of these files.
  var names: [SegmentIdentifier] { spare.map(\.name) + unnamed.compactMap { $0.displaced?.name } }
}
