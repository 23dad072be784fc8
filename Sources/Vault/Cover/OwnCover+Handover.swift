// Giving up cover, so that another space can live there or nobody's files are left.
//
// Invariants
// 1. A durable head that states the smaller number comes first. From then on the files that were given up belong to
//    nobody, whatever happens: the number of files never depends on them again.
// 2. They are replaced by files that the space's keys cannot tell from others: their own names and bytes could be made
//    again from its keys. So it does not show whether a space or nobody took them.
// 3. No head is left that states more: what is live in a segment with an older head is copied, then the segment is
//    overwritten. It keeps its name and stays cover, as every dead segment, and as one that the search for heads needs.

package import Storage
internal import SystemPackage

extension OwnCover {
  /// Files that the heads and copies of a handover may take beside what is given up.
  private static let filesBesideHandover = 8

  /// How many files the space can give up, if `live` bytes are stored in it: never used, not needed for what is stored,
  /// and not of its reserve.
  ///
  /// - Parameter isBegun: whether the older heads are in segments without anything else already.
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

  /// Gives up the last files of cover that was never used, or only writes a head if there are none to give up. Durable
  /// on return. If it throws, nothing is changed.
  ///
  /// - Parameter count: at most `coverToGiveUp`.
  /// - Returns: their names, and the epoch of the first head that states the smaller number.
  /// - Throws: `.readOnly`, `.noSpace`, `.system`.
  package func giveUpCover(_ count: Int) throws(VaultError) -> (names: [SegmentIdentifier], epoch: EpochNumber) {
    try log.locked { log throws(VaultError) in
      while log.tail.isBeginningEpoch || log.tail.isCommitting { log.wait() }
      guard var owner = log.pool.table, owner.coverCount >= count else { throw .readOnly("it owns no such cover") }
      let given = owner.giveUpCover(count)
      try log.beginEpoch(stating: owner)
      return (given.map(keys.coverIdentifier), log.tail.segment.epoch)
    }
  }

  /// The files under names of cover that the space gave up before, since a crash kept them from being replaced.
  package func forgottenCover() throws(VaultError) -> [SegmentIdentifier] {
    var names: Set<SegmentIdentifier> = []
    try attempt("listing the files") { () throws(Errno) in try storage.list { name, _, _ in names.insert(name) } }
    return (space.owner?.cover ?? []).flatMap { range in
      (range.end..<range.end + UInt64(names.count))
        .map { keys.coverIdentifier(CoverFile(branch: range.branch, counter: $0)) }.filter(names.contains)
    }
  }

  /// The epoch that this mount has begun last; one that never is if there is none.
  package var openEpoch: EpochNumber {
    log.locked { $0.tail.current == nil ? EpochNumber(rawValue: .max) : $0.tail.segment.epoch }
  }

  /// The segments before an epoch in which a head of the space, or a part of one, is or was. Opens every file in the
  /// vault.
  ///
  /// - Throws: `.readOnly` when the space was continued in two places; `.system`.
  package func segmentsWithHeads(
    before limit: EpochNumber
  ) throws(VaultError) -> [SegmentIdentifier: SegmentNumber] {
    if try space.foreignContinuation() != nil {
      throw .readOnly("it was continued in two places; see with: agonyfs check")
    }
    var found: [SegmentIdentifier: SegmentNumber] = [:]
    for (number, name) in space.segmentFiles() where number.index == 0 && number.epoch < limit { found[name] = number }
    for header in try Recovery(context: log.context).allSegments() where header.number.epoch < limit {
      let name = keys.identifier(header.number, branch: header.branch)
      if header.number.index == 0 || beginsWithHead(name) { found[name] = header.number }
    }
    return found
  }

  /// Whether a segment begins with a part of a head, which goes on from the segment before.
  private func beginsWithHead(_ name: SegmentIdentifier) -> Bool {
    guard let file = try? storage.open(name), let handle = try? SegmentHandle.open(file, keys: keys) else {
      return false
    }
    var reader = LogReader(log.context, handle)
    reader.staysInSegment = true
    return (try? reader.next())?.header.kind == .head
  }

  /// Overwrites segments, which stay as cover. Two heads were written since they were given up.
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

  /// What keeps a segment from being given up.
  package static let cannotMove = VaultError.damaged("data that has to be copied cannot be read")
}
