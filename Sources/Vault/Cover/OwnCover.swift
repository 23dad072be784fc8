internal import Crypto
internal import Glibc
package import Storage
internal import SystemPackage

/// The files of a space that owns cover. Keeps their number constant, and changes it on request.
package struct OwnCover {
  let space: Space
  var log: Log { space.log }
  var storage: any Storage { space.storage }
  var keys: SpaceKeys { space.keys }
  var segmentSize: Int { space.segmentSize }
  var gate: WriteGate { space.gate }
  var origin: SpaceOrigin { space.origin }

  /// Repairs files that a crash left incomplete, before the space is written. Does nothing if the space is read-only.
  /// No other thread may use the space during the call.
  package func prepareFiles() throws(VaultError) {
    if !gate.isOpen { return }
    storage.prepareForWriting()
    space.completeOwnFiles()
    try restoreFileCount()
  }

  /// Restores the number of the space's files after a crash, after a copy was put back, and when slots were added or
  /// removed. Does nothing in a space that owns no cover. No other thread may use the space during the call. If the
  /// disk is too full for a part of the work, the next call does it. Changes nothing while a file that is damaged on
  /// the medium cannot be listed.
  ///
  /// - Parameter slots: slot files that no longer count. Cover takes their place.
  package func restoreFileCount(replacing slots: Set<SegmentIdentifier> = []) throws(VaultError) {
    guard gate.isOpen, space.ownsCover else { return }
    var sizes: [SegmentIdentifier: Int] = [:]
    do throws(Errno) {
      try storage.list { identifier, size, _ in sizes[identifier] = size }
    } catch {
      // A file that is there would count as missing, and be deleted if it could not be written again.
      if error.isDamageOfMedium { return }
      throw VaultError(error, "listing the files")
    }
    let strays = try mayHaveStrays ? straySegments() : 0
    for slot in slots { sizes[slot] = nil }
    let countsAll = !origin.isBirthUnknown
    var (unneeded, missing, next) = log.locked {
      $0.reconcileFileCount(existing: sizes, strays: strays, countsAll: countsAll)
    }
    missing += coverWithOtherBytes(next)
    unneeded += slots.filter { (try? storage.exists($0)) ?? false }
    // A torn head that is filled up would count as damage (`completeOwnFiles`).
    let (mayBeShort, torn) = log.locked { ($0.retiredNames + ($0.pool.table?.slots ?? []), $0.durability.torn) }
    for name in mayBeShort
    where !origin.isCopy && !torn.contains(name) && sizes[name].map({ $0 < segmentSize }) ?? false {
      try? storage.fill(name, size: segmentSize)
    }
    // Existing files with other bytes, and files that are not needed, make room.
    let replaced = unneeded + missing.filter { sizes[$0] != nil }
    let room = storage.capacity()
    // Writing more files than fit would only fill the disk.
    let fits = room.total == 0 || missing.count - replaced.count <= room.free / Int64(segmentSize)
    do throws(VaultError) {
      try storage.replace(replaced, by: fits ? missing.map { NewFile(cover: $0, keys: keys) } : [], size: segmentSize)
    } catch {
      // The next call creates them again. If one were left short, another space would fill it with other bytes.
      for name in missing { try? storage.delete(name) }
    }
    try? storage.flushNames(of: unneeded + missing)
  }

  /// Writes a file that holds no segment, and deletes another that nothing needs. Durable on return. If it throws, or
  /// after a crash, no file has the name, unless the last flush failed.
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

  /// Of the next cover files to use, those that hold other bytes than their own. A crash may have left such a file
  /// short, and another space may have filled it up since. Versions that overwrote files in place may, after a crash,
  /// have kept the bytes that they wrote into a file but not its new name. So after a crash the search ends only after
  /// several correct files.
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

  /// Whether a cover file is complete and has its own bytes.
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

  /// The cover files that a new space still lacks when it has `others` other files.
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

  /// Gives the space more cover of its own: the number of files that a space has that can store `size` bytes, so that
  /// at least `size` bytes more fit into it. Also adds a random number of files that no space owns. `Vault.addCover`
  /// creates the same number of files, by the same calls. Durable on return. If it throws, nothing is changed.
  ///
  /// - Throws: `.noSpace`; `.cancelled`; `.readOnly` also if the space owns no cover; `.system`.
  package func growCover(
    by size: Int64, _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    guard let owner = space.owner, owner.fileCount > 0 else {
      throw .readOnly("it owns no cover, and uses the free room of the disk")
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

  /// How many segments of the space the open state does not know: newer ones, and segments of another branch.
  private func straySegments() throws(VaultError) -> Int {
    let known = Set(space.segmentIdentifiers())
    return try Recovery(context: log.context).allSegments()
      .count { !known.contains(keys.identifier($0.number, branch: $0.branch)) }
  }
}

extension LockedLog {
  /// The files of the segments that the newest state does not need, although older states may.
  fileprivate var retiredNames: [SegmentIdentifier] {
    Set(catalog.segments).subtracting(catalog.needed)
      .map { context.keys.identifier($0, branch: catalog.branch(of: $0.epoch) ?? []) }
  }

  /// Compares the existing files with the table. Returns the cover that is unneeded, the cover that is missing or
  /// short, and the existing cover in the order of use.
  ///
  /// - Parameter countsAll: whether strays also take the place of existing cover; otherwise they replace only missing
  ///   cover.
  fileprivate mutating func reconcileFileCount(
    existing sizes: [SegmentIdentifier: Int], strays: Int, countsAll: Bool
  ) -> (unneeded: [SegmentIdentifier], missing: [SegmentIdentifier], next: [SegmentIdentifier]) {
    guard var owner = pool.table else { return ([], [], []) }
    let keys = context.keys
    let isThere = { (segment: SegmentNumber, catalog: SegmentCatalog) in
      sizes[keys.identifier(segment, branch: catalog.branch(of: segment.epoch) ?? [])] != nil
    }
    // A segment that was deleted after the newest head is still in that head's list.
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
        // Missing cover is not created again. The cover before it counts as used.
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
    // From now on the strays belong to no space, and the next opening does not look for them.
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

  /// How many of the strays count as files of the space. Strays that took the place of missing cover count. Other
  /// strays, as in a backup that was refreshed without deleting, count only as long as the space can still be written.
  /// They do not count where each opening would count them again.
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
