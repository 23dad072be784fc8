// Giving up cover, either for another space or to leave files that no space owns.
//
// Invariants
// 1. A head that states the smaller number is durable first. From then on the files that were given up belong to no
//    space, whatever happens: the number of files never depends on them again.
// 2. These files are replaced by others, because their names and bytes could be computed again from the space's keys.
//    With those keys the new files look like any other, so nothing shows whether a space took them or none did.
// 3. No head is left that states the larger number: the live data of a segment with an older head is copied, then the
//    segment is overwritten. It keeps its name and stays as cover, like every dead segment, and like a segment that the
//    search for heads needs.

package import Storage
internal import System
internal import SystemPackage

extension OwnCover {
  /// The files that the heads and copies of a handover may take, in addition to those that are given up.
  private static let filesBesideHandover = 8

  /// How many files the space can give up if it stores `live` bytes: cover that was never used, that the stored data
  /// does not need, and that does not belong to the reserve.
  ///
  /// - Parameter isBegun: whether the older heads are already in segments without other data.
  package func coverToGiveUp(live: Int64, isBegun: Bool) -> Int {
    log.locked { log in
      guard let owner = log.pool.table, log.pool.ownsCover else { return 0 }
      let measure = log.measureRoom()
      let beside = Self.filesBesideHandover * (isBegun ? 1 : 2)
      let unneeded = Int(owner.fileCount) - Int(RoomBudget.files(for: max(1, live), segmentSize: segmentSize))
      let unreserved = Int((measure.pool - measure.reserve) / Int64(segmentSize)) - beside
      return max(0, min(owner.coverCount - beside, unreserved, unneeded))
    }
  }

  /// Gives up the last files of cover that was never used, or only writes a head if `count` is 0. Durable on return. If
  /// it throws, nothing is changed.
  ///
  /// - Parameter count: at most `coverToGiveUp`.
  /// - Returns: the names of the files, and the epoch of the first head that states the smaller number.
  /// - Throws: `.readOnly`, `.noSpace`, `.system`.
  package func giveUpCover(_ count: Int) throws(VaultError) -> (names: [SegmentIdentifier], epoch: EpochNumber) {
    try log.locked { log throws(VaultError) in
      while log.tail.isBeginningEpoch || log.tail.isCommitting { log.wait() }
      guard var owner = log.pool.table, owner.coverCount >= count else {
        throw .readOnly("it does not own that much cover")
      }
      let given = owner.giveUpCover(count)
      try log.beginEpoch(stating: owner)
      return (given.map(keys.coverIdentifier), log.tail.segment.epoch)
    }
  }

  /// The existing files with names of cover that the space gave up earlier, and that a crash kept from being replaced.
  package func forgottenCover() throws(VaultError) -> [SegmentIdentifier] {
    var names: Set<SegmentIdentifier> = []
    try attempt("listing the files") { () throws(Errno) in try storage.list { name, _, _ in names.insert(name) } }
    return (space.owner?.cover ?? []).flatMap { range in
      (range.end..<range.end + UInt64(names.count))
        .map { keys.coverIdentifier(CoverFile(branch: range.branch, counter: $0)) }.filter(names.contains)
    }
  }

  /// The epoch that this mount began last; a number that no epoch has if it began none.
  package var openEpoch: EpochNumber {
    log.locked { $0.tail.current == nil ? EpochNumber(rawValue: .max) : $0.tail.segment.epoch }
  }

  /// The segments before an epoch that hold, or held, a head of the space or a part of one. Opens every file in the
  /// vault.
  ///
  /// - Throws: `.readOnly` when the space was continued in two places; `.system`.
  package func segmentsWithHeads(
    before limit: EpochNumber
  ) throws(VaultError) -> [SegmentIdentifier: SegmentNumber] {
    if try space.foreignContinuation() != nil {
      throw .readOnly("it was continued in two places; run agonyfs check")
    }
    var found: [SegmentIdentifier: SegmentNumber] = [:]
    for (number, name) in space.segmentFiles() where number.index == 0 && number.epoch < limit { found[name] = number }
    for header in try Recovery(context: log.context).allSegments() where header.number.epoch < limit {
      let name = keys.identifier(header.number, branch: header.branch)
      let isHead = try header.number.index == 0 ? true : mayBeginWithHead(name)
      if isHead { found[name] = header.number }
    }
    return found
  }

  /// Whether a segment begins with a part of a head that started in the segment before. True if the medium is damaged
  /// there, because it may.
  private func mayBeginWithHead(_ name: SegmentIdentifier) throws(VaultError) -> Bool {
    do throws(VaultError) {
      return try beginsWithHead(name)
    } catch {
      if case .system(let reason, _) = error, reason.isDamageOfMedium { return true }
      throw error
    }
  }

  private func beginsWithHead(_ name: SegmentIdentifier) throws(VaultError) -> Bool {
    let opened = try attempt("looking for old heads") { () throws(Errno) -> SegmentHandle? in
      try ifThere { () throws(Errno) in try SegmentHandle.open(storage.open(name), keys: keys) } ?? nil
    }
    guard let handle = opened else { return false }
    var reader = LogReader(log.context, handle)
    reader.staysInSegment = true
    return try reader.next()?.header.kind == .head
  }

  /// Overwrites segments, which stay as cover. Two heads must have been written since they were given up.
  ///
  /// - Throws: `.damaged`, with nothing overwritten, when one of them is needed; `.system`.
  package func overwrite(_ segments: [SegmentIdentifier: SegmentNumber]) throws(VaultError) {
    let isUnneeded = log.locked { log -> Bool in
      if segments.values.contains(where: log.catalog.isNeededByHeads) { return false }
      log.release(Array(segments.values))
      return true
    }
    guard isUnneeded else { throw Self.cannotMove }
    for (name, _) in segments.sorted(by: { $0.value < $1.value }) {
      try attempt("overwriting an old file") { () throws(Errno) in try storage.wipe(name) }
    }
  }

  /// The error when a segment cannot be given up.
  package static let cannotMove = VaultError.damaged("data that has to be copied cannot be read")
}
