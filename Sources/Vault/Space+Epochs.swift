internal import Crypto
internal import Glibc
internal import Storage
internal import System
internal import SystemPackage

/// Beginning epochs, and deleting what no kept head needs.
extension Space {
  /// Sees to it that the epoch has `room` bytes left; begins the next one when it has not. Lock held; given away meanwhile.
  func prepareEpoch(for room: Int, committing: Bool) throws(VaultError) {
    while true {
      while switching || (commitPending && !committing && needsEpoch(for: room)) { changed.wait() }
      try checkWritable()
      if !needsEpoch(for: room) { return }
      guard committing || hasRoomForData else { throw .noSpace }
      try beginEpoch()
    }
  }

  private func needsEpoch(for room: Int) -> Bool {
    guard current != nil else { return true }
    let segmentsLeft = SegmentNumber.perEpoch - 1 - endSegment.index
    return segmentSize - end + segmentsLeft * (segmentSize - SegmentFormat.recordsStart) < room
  }

  /// Flushes, writes a new head and flushes it. Lock held; given away meanwhile. No commit may be between its reservation and the map, unless it
  /// is the caller's own and has reserved nothing yet.
  func beginEpoch() throws(VaultError) {
    switching = true
    defer {
      switching = false
      changed.broadcast()
    }
    while writtenTicket != nextTicket || flushing { changed.wait() }
    try checkWritable()
    guard stalled.isEmpty else { throw .noSpace }
    if !recovered.isEmpty {
      let tail = recovered
      lock.unlock()
      let result = complete(tail)
      lock.lock()
      if case .failure(let error) = result {
        if error == .noSpace { throw .noSpace }
        throw fail(error, "flushing what the last mount wrote")
      }
      recovered = []
    }
    if !unflushed.isEmpty { try flush() }

    let before = (segment: current, end: end, number: endSegment, chain: chain, writtenEnd: writtenEnd)
    let epoch = EpochNumber(rawValue: highestEpoch.rawValue + 1)
    guard epoch.rawValue < 1 << 31 else { throw fail(.fileTooLarge, "beginning epoch 2³¹") }
    let number = SegmentNumber(epoch: epoch, index: 0)
    let branch = Sodium.randomBytes(SpaceKeys.branchSize)
    let segment = try createSegment(number, branch: branch, previousEnd: 0, replacing: current)
    highestEpoch = epoch
    current = segment
    end = SegmentFormat.recordsStart
    endSegment = number
    let time = clock()
    let keptHeads = keptHeads(adding: KeptHead(epoch: epoch, time: time))
    let dying = unwrittenPageCount == nil ? pendingRetired : []
    var dead = retired
    for segment in dying { dead[segment] = epoch }

    do throws(VaultError) {
      let identity: SegmentIdentity
      do throws(Errno) {
        identity = try segment.writer.identity()
      } catch {
        throw fail(error, "looking at the new head")
      }
      let state = HeadState(
        epoch: epoch, time: time, identity: identity,
        previousEnd: LogPosition(segment: before.number, offset: before.end), previousChain: before.chain,
        sequence: sequence, heads: keptHeads, epochs: epochs, retired: dead, pages: map.positions, intents: intents)
      try writeHead(state)
      if !stalled.isEmpty { throw .noSpace }
    } catch {
      // The torn head's number is used up, and the room that it holds is needed; the log goes on where it was.
      if failure == nil { try? segment.writer.releaseHold() }
      reserveHeld = false
      stalled.removeAll { $0.segment.number.epoch == epoch }
      unflushed.removeAll { $0.number.epoch == epoch }
      for index in 0..<SegmentNumber.perEpoch where (epochs[epoch]?.present ?? 0) >> UInt64(index) & 1 == 1 {
        pendingRetired.insert(SegmentNumber(epoch: epoch, index: index))
      }
      current = before.segment
      end = before.end
      endSegment = before.number
      chain = before.chain
      // Left at the torn head it would be beyond all that follows, and no later barrier would find anything to flush.
      writtenEnd = before.writtenEnd
      throw error
    }

    heads = keptHeads
    retired = dead
    pendingRetired.subtract(dying)
    recordsSinceHead = 0
    leases.append(segment.writer)
    if endIsAnnounced { segment.writer.announceEnd() }
    if leases.count > 2 { leases.removeFirst() }
    if let old = before.segment {
      lock.unlock()
      // When there is no room for the padding the file stays short; a later mount fills it up.
      try? pad(old, from: before.end)
      try? old.writer.flush()
      lock.lock()
    }
    if !torn.isEmpty {
      let tornHeads = torn
      torn = []
      lock.unlock()
      // What stays short a later mount fills up.
      _ = complete(tornHeads)
      lock.lock()
    }
    deleteUnneeded()
  }

  /// Writes and flushes a head. Lock held; given away meanwhile.
  private func writeHead(_ state: HeadState) throws(VaultError) {
    let bytes = state.encoded
    var layout = RunLayout()
    var failed: VaultError?
    do throws(VaultError) {
      for (number, start) in stride(from: 0, to: bytes.count, by: HeadState.partSize).enumerated() {
        let part = Array(bytes[start..<min(start + HeadState.partSize, bytes.count)])
        try reserve(.head(part: number, total: bytes.count, bytes: part), into: &layout)
      }
    } catch {
      failed = error
    }
    lock.unlock()
    do throws(VaultError) {
      try execute(layout)
    } catch {
      failed = failed ?? error
    }
    lock.lock()
    if let failed { throw failed }
    if !stalled.isEmpty { throw .noSpace }
    try flush()
  }

  /// The heads that stay kept when `head` is added: the oldest goes only when the second-oldest is older than the copy window, or when the
  /// disk is full; the two newest always stay.
  private func keptHeads(adding head: KeptHead) -> [KeptHead] {
    // Of a head from the future the clock was wrong, then or now; it is kept as long as one of now, and not a year.
    var kept = heads.map { KeptHead(epoch: $0.epoch, time: min($0.time, head.time)) } + [head]
    let window = reserveHeld && !isTight ? copyWindow : 0
    while kept.count > 2, kept[1].time <= head.time - window { kept.removeFirst() }
    return kept
  }

  /// Deletes retired segments that no kept head needs. Lock held; given away meanwhile.
  private func deleteUnneeded() {
    guard let oldest = heads.first?.epoch else { return }
    let searched = searchedEpochs
    let deletable = retired.filter { segment, died in
      died <= oldest && !(segment.index == 0 && searched.contains(segment.epoch.rawValue))
    }
    guard !deletable.isEmpty else { return }
    let branches = deletable.keys.map { ($0, branch(of: $0.epoch) ?? []) }
    lock.unlock()
    var deleted: [SegmentNumber] = []
    for (segment, branch) in branches {
      cache.remove(segment)
      let identifier = keys.identifier(segment, branch: branch)
      if segment.index == 0, isOfAnotherBranch(identifier, than: branch) {
        deleted.append(segment)
        continue
      }
      do throws(Errno) {
        try storage.delete(identifier)
        deleted.append(segment)
      } catch {
        continue
      }
    }
    lock.lock()
    for segment in deleted {
      retired[segment] = nil
      guard var entry = epochs[segment.epoch] else { continue }
      entry.present &= ~(1 << UInt64(segment.index))
      epochs[segment.epoch] = entry.present == 0 ? nil : entry
    }
  }

  /// Whether the file under a head's name is the head of a state to which the space was continued elsewhere: heads of both have the same names.
  private func isOfAnotherBranch(_ identifier: SegmentIdentifier, than branch: [UInt8]) -> Bool {
    guard branch.contains(where: { $0 != 0 }), let file = try? storage.open(identifier),
      let header = try? SegmentHandle.open(file, keys: keys)?.header
    else { return false }
    return header.branch != branch
  }

  /// The epochs whose heads lead to a kept head: its number with low bits cleared. Not only to the newest, since in a copy another one may be the
  /// newest, and the heads that lead there have to last as long as the copy takes. Lock held.
  private var searchedEpochs: Set<UInt32> {
    var searched: Set<UInt32> = []
    for head in heads {
      for shift in 0..<UInt32(32) { searched.insert((head.epoch.rawValue >> shift) << shift) }
    }
    return searched
  }

  /// Flushes, writes a new head, and deletes what no kept head needs any more. Nothing happens in a space that was not written to since it was
  /// opened.
  ///
  /// - Throws: `.noSpace`; `.readOnly`; `.system`.
  package func advanceEpoch() throws(VaultError) {
    lock.lock()
    defer { lock.unlock() }
    while switching || commitPending { changed.wait() }
    if current == nil { return }
    try beginEpoch()
  }

  /// Makes durable and complete what earlier mounts left.
  private func complete(_ segments: [SegmentIdentifier]) -> Result<Void, Errno> {
    do throws(Errno) {
      for identifier in segments {
        // The lease on the newest head keeps everybody else out of the space.
        let writer = try storage.openToFill(identifier, takingLease: false)
        let size = try writer.size()
        if size < segmentSize { try padSegment(writer, from: size, size: segmentSize) } else { try writer.finish() }
        try writer.flush()
      }
      try storage.flushNames(of: segments)
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Tells whoever opens the space meanwhile that it is about to be closed, and worth waiting for.
  package func announceEnd() {
    lock.withLock {
      endIsAnnounced = true
      for lease in leases { lease.announceEnd() }
    }
  }

  /// Flushes, states the end of the log in a last head, completes the last segment, lets the space go. Does nothing the second time.
  ///
  /// - Throws: `.noSpace` when something still waits for room, and is lost now; `.readOnly`; `.system`.
  package func close() throws(VaultError) {
    announceEnd()
    defer {
      lock.withLock {
        closed = true
        leases.removeAll()
        current = nil
        cache.removeAll()
      }
    }
    if lock.withLock({ closed || current == nil }) { return }
    try barrier()
    lock.lock()
    let wasWritten = recordsSinceHead > 0
    while switching || commitPending { changed.wait() }
    // On a full disk the segment that another head takes is worth more, unless that head lets others go.
    let isAffordable = (reserveHeld && !isTight) || !retired.isEmpty || !pendingRetired.isEmpty
    if wasWritten && isAffordable {
      // With a head at the end the next mount has nothing to replay, and two ways to the same state should one be damaged.
      do throws(VaultError) {
        try beginEpoch()
      } catch .noSpace {
        // The log says the same; the next mount replays it.
      } catch {
        lock.unlock()
        throw error
      }
    }
    lock.unlock()
    let pageCount = databasePageCount
    _ = try appendCommit(pageCount: pageCount, flags: RecordHeader.closedFlag, committing: false)
    try barrier()
    let last = lock.withLock { (current, end) }
    guard let segment = last.0 else { return }
    do throws(Errno) {
      try pad(segment, from: last.1)
      try segment.writer.flush()
    } catch .noSpace, .diskQuotaExceeded {
      // The file stays short; a later mount fills it up.
      try? segment.writer.releaseHold()
    } catch {
      throw .system(error, "completing the last segment")
    }
  }
}
