internal import Crypto
internal import Storage
internal import System
internal import SystemPackage

/// Begins epochs, and deletes segments that no kept head needs.
extension LockedLog {
  /// Begins the next epoch if this one has less than `room` bytes left. `isOwnCommit` says that the caller itself has
  /// set `isCommitting`.
  ///
  /// - Throws: `.noSpace` when a new epoch is needed and there is no room for it; `.readOnly`; `.system`, also when no
  ///   epoch has `room` bytes after its head.
  mutating func prepareEpoch(room: Int, for use: RoomUse, isOwnCommit: Bool = false) throws(VaultError) {
    var begun = 0
    while true {
      while tail.isBeginningEpoch || tail.isPlacingCommit
        || (tail.isCommitting && !isOwnCommit && needsEpoch(for: room))
      { wait() }
      try gate.requireOpen()
      if !needsEpoch(for: room) { return }
      // If there is no room for this use, a new epoch would only take more of it.
      if measureRoom().segments(for: use) == 0 { throw self.room.refusal() }
      // Other threads may have used up the room of the epoch that this loop began before.
      begun += 1
      if begun > Self.attempts { throw fail(.fileTooLarge, "making room for a commit in one epoch") }
      try beginEpoch()
    }
  }

  /// The most epochs that are begun to make room for one commit.
  private static let attempts = 3

  private func needsEpoch(for room: Int) -> Bool {
    guard tail.current != nil else { return true }
    let segmentsLeft = SegmentNumber.perEpoch - 1 - tail.segment.index
    let segmentSize = context.segmentSize
    return segmentSize - tail.end + segmentsLeft * (segmentSize - SegmentFormat.recordsStart) < room
  }

  /// Flushes the log, writes and flushes a new head, and continues in its epoch. No commit may be between its
  /// reservation and the page map. The only exception is the caller's own commit if it has reserved nothing yet.
  ///
  /// - Parameter keepsForCopies: false keeps no head that only a copy of the vault in progress may need.
  /// - Throws: as `prepareEpoch`; then the log continues in the old epoch.
  mutating func beginEpoch(keepsForCopies: Bool = true) throws(VaultError) {
    tail.isBeginningEpoch = true
    defer {
      tail.isBeginningEpoch = false
      announce()
    }
    while !tail.isQuiet || durability.isFlushing || pool.isBusy { wait() }
    try gate.requireOpen()
    guard tail.stalled.isEmpty else { throw .noSpace }
    try completeRecovered()
    if !durability.unflushed.isEmpty || !durability.newNames.isEmpty { try flush() }

    let epoch = EpochNumber(rawValue: catalog.highestEpoch.rawValue + 1)
    guard epoch.rawValue < 1 << 31 else { throw fail(.fileTooLarge, "beginning epoch 2³¹") }
    let before = tail
    do throws(VaultError) {
      let (tail, head) = try writeHead(of: epoch, keepsForCopies: keepsForCopies)
      install(head, followedBy: tail)
    } catch {
      abandon(epoch)
      throw error
    }
    let unfinished = [before.incomplete, before.current.map { ($0, before.end) }].compactMap(\.self)
    let torn = durability.torn
    durability.torn = []
    let context = context
    unlocked {
      // If this fails, a file stays short and a later mount fills it.
      for (segment, end) in unfinished {
        try? padSegment(segment.writer, from: end, size: context.segmentSize)
        try? segment.writer.flush()
      }
      try? context.complete(torn, ifThere: true)
    }
    deleteUnneeded()
  }

  /// Completes and flushes the segments of an earlier mount.
  mutating func completeRecovered() throws(VaultError) {
    let recovered = durability.recovered
    if recovered.isEmpty { return }
    let context = context
    // The mount that held room for these files has ended.
    room.takeFromReserve(recovered.count * context.segmentSize)
    try storeMakingRoom("flushing the files of the last mount") { () throws(Errno) in
      try context.complete(recovered)
    }
    durability.recovered = []
  }

  /// Writes and flushes the head of an epoch, and returns the tail of the log after it. The log's own tail does not
  /// change.
  private mutating func writeHead(
    of epoch: EpochNumber, keepsForCopies: Bool
  ) throws(VaultError) -> (LogTail, HeadState) {
    let number = SegmentNumber(epoch: epoch, index: 0)
    let branch = Sodium.randomBytes(SpaceKeys.branchSize)
    let chain = tail.chain
    let segment = try makingHostRoom { log throws(VaultError) in
      try log.createSegment(number, branch: branch, previousEnd: 0, chain: chain, for: .head)
    }
    let birth: FileBirth
    do throws(Errno) {
      birth = try segment.writer.birth()
    } catch {
      throw fail(error, "reading the attributes of the new head")
    }
    let time = context.clock()
    let window = keepsForCopies && measureRoom().state == .ample ? context.copyWindow : 0
    let heads = catalog.keptHeads(adding: KeptHead(epoch: epoch, time: time), window: window)
    let state = HeadState(
      epoch: epoch, time: time, birth: birth, previousEnd: tail.position, previousChain: tail.chain,
      sequence: tail.sequence, heads: heads, epochs: catalog.epochs, retired: catalog.retired(asOf: epoch),
      pages: database.map.positions, owner: pool.table, intents: database.intents)
    var next = LogTail(epoch: epoch, after: tail, in: segment)
    var layout = RunLayout()
    let bytes = state.encoded
    guard bytes.count <= HeadState.mostBytes(segmentSize: context.segmentSize) else {
      throw fail(.fileTooLarge, "writing a head of \(bytes.count) bytes")
    }
    for (part, start) in stride(from: 0, to: bytes.count, by: HeadState.partSize).enumerated() {
      let content = Array(bytes[start..<min(start + HeadState.partSize, bytes.count)])
      try makingHostRoom { log throws(VaultError) in
        try log.placeHead(part: part, total: bytes.count, content, at: &next, into: &layout)
      }
    }
    try write(layout, of: epoch)
    next.recordsSinceHead = 0
    next.writtenTicket = next.nextTicket
    next.writtenEnd = next.position
    return (next, state)
  }

  /// Writes the runs of a head and flushes them.
  private mutating func write(_ layout: RunLayout, of epoch: EpochNumber) throws(VaultError) {
    let segmentSize = context.segmentSize
    try store("writing the next head") { () throws(Errno) in
      for run in layout.runs {
        try unsafe SealingBuffers.pool.with(run.length) { (bytes) throws(Errno) in
          unsafe run.seal(into: bytes)
          try unsafe run.write(UnsafeRawBufferPointer(bytes), segmentSize: segmentSize)
        }
      }
    }
    for run in layout.runs { durability.note(run.segment, bytes: run.length) }
    try flush()
  }

  /// Continues the log in the epoch of a durable head.
  private func install(_ head: HeadState, followedBy next: LogTail) {
    tail = next
    durability.flushedThrough = max(durability.flushedThrough, next.writtenEnd)
    catalog.note(heads: head.heads, retired: head.retired)
  }

  /// Gives up an epoch whose head was not written, and releases its room. The epoch number stays used if a file of that
  /// name exists.
  private mutating func abandon(_ epoch: EpochNumber) {
    withdrawHead(of: epoch)
    let segments = durability.unflushed.filter { $0.number.epoch == epoch }
    durability.unflushed.removeAll { $0.number.epoch == epoch }
    if gate.isOpen { unlocked { for segment in segments { try? segment.writer.releaseHold() } } }
    catalog.abandon(epoch)
  }

  /// Deletes retired segments that no kept head needs. In a space that owns cover these segments serve as cover, so
  /// only one file is deleted for each file that was created.
  private mutating func deleteUnneeded() {
    if pool.ownsCover { return deleteReplaced() }
    let dead = catalog.deletable.map { catalog.dead($0) }
    if dead.isEmpty { return }
    release(dead.map(\.number))
    let context = context
    let deleted = unlocked { dead.filter { (try? context.delete(PoolFile($0, context.keys))) != nil } }
    catalog.remove(deleted.map(\.number))
    room.holdReserve()
  }
}

extension LogContext {
  /// Deletes a file that nothing needs, and returns whether the file existed.
  ///
  /// - Throws: also when the file must be wiped and cannot be.
  func delete(_ file: PoolFile) throws(Errno) -> Bool {
    guard try prepareToDelete(file) else { return false }
    let wasThere = try storage.exists(file.name)
    try storage.delete(file.name)
    return wasThere
  }

  /// Wipes a segment under the previous key if necessary; false when another branch has taken the name of a dead head.
  ///
  /// - Throws: when the segment cannot be wiped. It must then stay, because re-keying does not end while there is a
  ///   segment under the previous key. Also when it cannot be read to see whose it is.
  func prepareToDelete(_ file: PoolFile) throws(Errno) -> Bool {
    guard let dead = file.segment else { return true }
    if dead.number.index == 0, try isOfAnotherBranch(file.name, than: dead.branch) { return false }
    guard mustWipe(dead.number) else { return true }
    do throws(Errno) {
      try storage.wipe(file.name)
    } catch .noSpace, .diskQuotaExceeded {
      // A file system that needs room to overwrite writes to another place, so wiping would have no effect.
    }
    return true
  }

  /// Whether a segment is overwritten before it is deleted. Of the segments under the previous key, heads always are,
  /// the others only if `wipesPrevious` is set.
  func mustWipe(_ segment: SegmentNumber) -> Bool {
    segment.epoch < keys.boundary && (segment.index == 0 || wipesPrevious)
  }

  /// Whether the file with a head's name belongs to another branch, which was written elsewhere. All branches use the
  /// same names for heads.
  ///
  /// - Throws: when the file cannot be read. It may then be the only head of the other branch.
  func isOfAnotherBranch(_ identifier: SegmentIdentifier, than branch: [UInt8]) throws(Errno) -> Bool {
    guard branch.contains(where: { $0 != 0 }) else { return false }
    let handle: SegmentHandle?
    do throws(Errno) {
      handle = try SegmentHandle.open(storage.open(identifier), keys: keys)
    } catch .noSuchFileOrDirectory, .notRegularFile {
      return false
    }
    guard let header = handle?.header else { return false }
    // Versions that overwrote files in place may have left other bytes under this name.
    return header.branch != branch && keys.headIdentifier(header.number.epoch) == identifier
  }

  /// Completes and flushes files of this space. Torn heads without content may be gone.
  fileprivate func complete(_ segments: [SegmentIdentifier], ifThere: Bool = false) throws(Errno) {
    for identifier in segments {
      if ifThere, try !storage.exists(identifier) { continue }
      let writer = try storage.openToFill(identifier)
      let size = try writer.size()
      if size < segmentSize { try padSegment(writer, from: size, size: segmentSize) } else { try writer.finish() }
      try writer.flush()
    }
    try storage.flushNames(of: segments)
  }
}
