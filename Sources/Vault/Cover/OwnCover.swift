internal import Crypto
internal import Glibc
package import Storage
internal import SystemPackage

/// The files of a space that owns cover: keeps their number, and changes it when it is asked to.
package struct OwnCover {
  let space: Space
  var log: Log { space.log }
  var storage: any Storage { space.storage }
  var keys: SpaceKeys { space.keys }
  var segmentSize: Int { space.segmentSize }
  var gate: WriteGate { space.gate }
  var origin: SpaceOrigin { space.origin }

  /// Puts right what a crash left of the space's files, before it is written. Does nothing in one that is read-only. No
  /// other thread may use the space meanwhile.
  package func prepareFiles() throws(VaultError) {
    if !gate.isOpen { return }
    storage.prepareForWriting()
    space.completeOwnFiles()
    try restoreFileCount()
  }

  /// Makes the number of the space's files again what it has to be, after a crash, after a copy was put back, and when
  /// slots were added or removed. Does nothing in a space that owns no cover. No other thread may use the space
  /// meanwhile. What cannot be done now, since the disk is full, is left for the next time.
  ///
  /// - Parameter slots: slot files that do not count any more. Cover takes their place.
  package func restoreFileCount(replacing slots: Set<SegmentIdentifier> = []) throws(VaultError) {
    guard gate.isOpen, space.ownsCover else { return }
    var sizes: [SegmentIdentifier: Int] = [:]
    try attempt("listing the files") { () throws(Errno) in
      try storage.list { identifier, size, _ in sizes[identifier] = size }
    }
    let strays = try mayHaveStrays ? straySegments() : 0
    for slot in slots { sizes[slot] = nil }
    let countsAll = !origin.isBirthUnknown
    var (unneeded, missing, next) = log.locked {
      $0.reconcileFileCount(existing: sizes, strays: strays, countsAll: countsAll)
    }
    missing += coverWithOtherBytes(next)
    unneeded += slots.filter { (try? storage.exists($0)) ?? false }
    // A torn head that is filled would count as damage (`completeOwnFiles`).
    let (mayBeShort, torn) = log.locked { ($0.retiredNames + ($0.pool.table?.slots ?? []), $0.durability.torn) }
    for name in mayBeShort
    where !origin.isCopy && !torn.contains(name) && sizes[name].map({ $0 < segmentSize }) ?? false {
      try? storage.fill(name, size: segmentSize)
    }
    // What is there and has other bytes, or is not needed, makes room.
    let replaced = unneeded + missing.filter { sizes[$0] != nil }
    let room = storage.capacity()
    // What does not fit would fill the disk in vain.
    let fits = room.total == 0 || missing.count - replaced.count <= room.free / Int64(segmentSize)
    do throws(VaultError) {
      try storage.replace(replaced, by: fits ? missing.map { NewFile(cover: $0, keys: keys) } : [], size: segmentSize)
    } catch {
      // They are made again the next time. If one were left short, others would fill it with other bytes.
      for name in missing { try? storage.delete(name) }
    }
    try? storage.flushNames(of: unneeded + missing)
  }

  /// Writes a file that is no segment; one that nothing needs goes. Durable on return. If it throws, or after a crash,
  /// nothing has the name, unless its last flush failed.
  ///
  /// - Throws: `.fileExists`; `.noSpace`.
  func putFile(_ name: SegmentIdentifier, content: [UInt8]) throws(Errno) {
    try unsafe content.span.bytes.withUnsafeBytes { (content) throws(Errno) in
      while true {
        let times = log.locked { $0.pool.timesRoomWasMade }
        do throws(Errno) {
          return try unsafe storage.putIfAbsent(name, content: content)
        } catch .noSpace, .diskQuotaExceeded {
          guard log.locked({ $0.makeHostRoom(since: times) }) else { throw .noSpace }
        }
      }
    }
    log.locked { log in
      log.pool.noteMade()
      if !log.tail.isBeginningEpoch { log.deleteReplaced() }
    }
  }

  /// Those of the files that go next that have other bytes than their own. A crash may have left one short, which
  /// somebody else completed since; and in versions that wrote in the place of files it may have kept what was written
  /// into them, but not their new names. So after a crash several are looked at that are right.
  private func coverWithOtherBytes(_ next: [SegmentIdentifier]) -> [SegmentIdentifier] {
    let enough = origin.isClosed ? 1 : 16
    var right = 0
    var wrong: [SegmentIdentifier] = []
    for name in next where right < enough {
      if holdsCover(name) {
        right += 1
      } else {
        right = 0
        wrong.append(name)
      }
    }
    return wrong
  }

  /// Whether a complete file of cover has its own bytes.
  func holdsCover(_ name: SegmentIdentifier) -> Bool {
    guard let file = try? storage.open(name) else { return false }
    for start in stride(from: 0, to: segmentSize, by: CoverFile.partSize) {
      var own = [UInt8](repeating: 0, count: min(CoverFile.partSize, segmentSize - start))
      unsafe own.withUnsafeMutableBytes { unsafe keys.fillCover(name, part: start / CoverFile.partSize, $0) }
      guard let found = try? file.bytes(at: start, count: own.count), found.count == own.count,
        unsafe memcmp(found, own, own.count) == 0
      else { return false }
    }
    return true
  }

  /// The files of cover that a new space still lacks, when it has so many others.
  package func missingCover(besides others: Int) -> [NewFile] {
    log.locked { log in
      guard var owner = log.pool.table else { return [] }
      owner.setCover(count: max(0, Int(owner.fileCount) - others)) { Sodium.randomBytes(SpaceKeys.branchSize) }
      log.pool.table = owner
      return owner.cover.flatMap { range in
        (range.first..<range.end).map { counter in
          NewFile(cover: keys.coverIdentifier(CoverFile(branch: range.branch, counter: counter)), keys: keys)
        }
      }
    }
  }

  /// Gives the space more cover of its own: as many files as a space that can store `size` bytes has, so that at least as
  /// many bytes more fit into it; and adds a random number of files that nobody owns. So as many files are made as by
  /// `Vault.addCover`, by the same calls. Durable on return. If it throws, nothing is changed.
  ///
  /// - Throws: `.noSpace`; `.cancelled`; `.readOnly` also if the space owns no cover; `.system`.
  package func growCover(
    by size: Int64, _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    guard let owner = space.owner, owner.fileCount > 0 else {
      throw .readOnly("it owns no cover, and takes what room the disk has")
    }
    let count = try Cover.count(for: size, segmentSize: segmentSize, in: storage.capacity())
    guard UInt64(count.ownable) <= OwnerTable.mostFiles - owner.fileCount else { throw .noSpace }
    let range = CoverRange(branch: Sodium.randomBytes(SpaceKeys.branchSize), first: 0, end: UInt64(count.ownable))
    let own = (0..<range.end).map { counter in
      NewFile(cover: keys.coverIdentifier(CoverFile(branch: range.branch, counter: counter)), keys: keys)
    }
    let files = (own + (0..<count.random).map { _ in NewFile.random() }).shuffled()
    try storage.add(Array(files.dropFirst(2)), last: Array(files.prefix(2)), size: segmentSize, control)
    do throws(VaultError) {
      try space.changeOwner { owner in
        owner.fileCount += range.end
        if range.end > 0 { owner.cover.append(range) }
      }
    } catch {
      for file in files { try? storage.delete(file.identifier) }
      throw error
    }
  }

  /// Whether there may be segments of the space that the open state does not know.
  private var mayHaveStrays: Bool { origin.isCopy || origin.isMissedBySearch || origin.warning != nil }

  /// How many segments of the space the open state does not know: newer ones, and those of another branch.
  private func straySegments() throws(VaultError) -> Int {
    let known = Set(space.segmentIdentifiers())
    return try Recovery(context: log.context).allSegments()
      .count { !known.contains(keys.identifier($0.number, branch: $0.branch)) }
  }
}

extension LockedLog {
  /// The files of the segments that the newest state does not need; older ones may.
  fileprivate var retiredNames: [SegmentIdentifier] {
    Set(catalog.segments).subtracting(catalog.needed)
      .map { context.keys.identifier($0, branch: catalog.branch(of: $0.epoch) ?? []) }
  }

  /// Compares what exists with the table: what of the cover is unneeded, what is missing or short, and what is there and
  /// goes next, in this order.
  ///
  /// - Parameter countsAll: whether strays take the place of cover that is there, too; otherwise only of what is missing.
  fileprivate mutating func reconcileFileCount(
    existing sizes: [SegmentIdentifier: Int], strays: Int, countsAll: Bool
  ) -> (unneeded: [SegmentIdentifier], missing: [SegmentIdentifier], next: [SegmentIdentifier]) {
    guard var owner = pool.table else { return ([], [], []) }
    let keys = context.keys
    let isThere = { (segment: SegmentNumber, catalog: SegmentCatalog) in
      sizes[keys.identifier(segment, branch: catalog.branch(of: segment.epoch) ?? [])] != nil
    }
    // What was deleted after the newest head is still in its list.
    catalog.remove(catalog.deletable.filter { !isThere($0, catalog) })
    let segments = catalog.segments.count { isThere($0, catalog) }
    let slots = Set(owner.slots).count { sizes[$0] != nil }
    var unneeded: [SegmentIdentifier] = []
    if case .begun(var ranges) = owner.rekeying {
      for index in ranges.indices {
        let range = ranges[index]
        let names = (0..<range.end).map { counter in
          keys.coverIdentifier(CoverFile(branch: range.branch, counter: counter, isPrevious: true))
        }
        // What is missing is not made again; what is before it counts as used.
        let used = names[Int(range.first)...].lastIndex { sizes[$0] != context.segmentSize }.map { $0 + 1 }
        ranges[index].first = UInt64(used ?? Int(range.first))
        unneeded += names[..<Int(ranges[index].first)].filter { sizes[$0] != nil }
      }
      owner.previousCover = ranges
    }
    let previous = owner.previousCover.reduce(0) { $0 + Int($1.count) }
    let available = Int(owner.fileCount) - slots - segments - previous
    let strays = strays == 0 ? 0 : countedStrays(strays, owner, sizes, available: available, countsAll: countsAll)
    let count = available - strays
    owner.setCover(count: max(0, count)) { Sodium.randomBytes(SpaceKeys.branchSize) }
    // From now on nobody's: the next opening does not look for them.
    owner.fileCount = UInt64(max(1, owner.coverCount, Int(owner.fileCount) - strays))
    pool.table = owner
    pool.reconcile(missing: min(0, count))
    var missing: [SegmentIdentifier] = []
    var next: [SegmentIdentifier] = []
    for range in owner.cover {
      for counter in 0..<range.end {
        let name = keys.coverIdentifier(CoverFile(branch: range.branch, counter: counter))
        if counter < range.first {
          if sizes[name] != nil { unneeded.append(name) }
        } else if sizes[name] != context.segmentSize {
          missing.append(name)
        } else {
          next.append(name)
        }
      }
    }
    deleteReplaced()
    return (unneeded, missing, next)
  }

  /// How many of the strays count as the space's. Those that took the place of cover which is missing do. Others, as a
  /// backup has that was filled without deleting, take cover as far as the space can still be written; where each opening
  /// would count them again they do not.
  private func countedStrays(
    _ strays: Int, _ owner: OwnerTable, _ sizes: [SegmentIdentifier: Int], available: Int, countsAll: Bool
  ) -> Int {
    let present = owner.cover.reduce(0) { count, range in
      count
        + (range.first..<range.end).count { counter in
          sizes[context.keys.coverIdentifier(CoverFile(branch: range.branch, counter: counter))] != nil
        }
    }
    let replacing = max(0, available - present)
    let spare = countsAll ? available - RoomBudget.segmentsBesideCleaning - 1 : 0
    return min(strays, max(replacing, spare))
  }
}
