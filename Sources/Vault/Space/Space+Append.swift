internal import Crypto
internal import Storage
package import System
internal import SystemPackage

/// Seals records that have places and hands them to the storage, in the order of the log.
extension Space {
  /// Appends file data. The calling thread seals it, so several callers seal at once; `threads` add helpers for one
  /// call. Their number changes neither the places nor the order of writing.
  ///
  /// A write may come back as several pieces, cut at multiples of 4096 bytes where a segment ends. Data that does not
  /// fit into the epoch goes into the next one.
  ///
  /// - Throws: `.noSpace` when the disk is full; `.readOnly`; `.system` when writing failed.
  package func append(
    _ writes: [ExtentWrite], for use: RoomUse = .data, on threads: Parallel = .none
  ) throws(VaultError) -> [ExtentPiece] {
    Waiting.assertAllowed()
    try resumeStalled()
    if log.locked({ $0.durability.unflushed.count }) >= Durability.mostUnflushed { try sync() }
    for write in writes { unsafe precondition((1...Self.maximumExtentLength).contains(write.plaintext.count)) }
    let extents = keys.extents
    let total = writes.reduce(0) {
      unsafe $0 + RecordHeader.recordLength(bodyLength: extents.bodyLength($1.plaintext.count))
    }
    var rest = writes[...]
    var pieces: [ExtentPiece] = []
    while let next = rest.first {
      let leastRoom = unsafe extents.leastRoom(for: next.plaintext.count)
      let isFirst = pieces.isEmpty
      let layout = try placeAndWrite(on: threads) { log, layout throws(VaultError) in
        // Data with a place takes room, even if the rest finds none.
        if isFirst, layout.pieces.isEmpty { try log.requireRoom(total, for: use) }
        try log.prepareEpoch(room: leastRoom, for: use)
        try log.place(&rest, for: use, at: &log.tail, into: &layout)
      }
      pieces += layout.pieces
    }
    return pieces
  }

  /// Calls `place`, which gives places to records, with the lock held, and writes the records. On a full host, a space
  /// that owns cover makes room without the lock, and calls `place` again for the records that have no place yet.
  func placeAndWrite(
    on threads: Parallel = .none, _ place: (inout LockedLog, inout RunLayout) throws(VaultError) -> Void
  ) throws(VaultError) -> RunLayout {
    var layout = RunLayout()
    var beginsSegment = false
    defer {
      // Files that are replaced by a head are deleted when the head is durable.
      if beginsSegment { log.locked { log in if !log.tail.isBeginningEpoch { log.deleteReplaced() } } }
    }
    // The value of `timesRoomWasMade` when the host was found full.
    var times: Int?
    while true {
      var failed: VaultError?
      do throws(VaultError) {
        try log.locked { log throws(VaultError) in
          // The write for which room was made follows at once, before other threads take the room.
          let hasRoom = times.map { log.makeHostRoom(since: $0) } ?? true
          try log.gate.requireOpen()
          if !hasRoom { throw log.room.refusal() }
          defer { times = log.pool.timesRoomWasMade }
          try place(&log, &layout)
        }
      } catch {
        failed = error
      }
      beginsSegment = beginsSegment || layout.beginsSegment
      // Records with places are written even if the rest has none, because the log continues after them.
      try write(layout, on: threads)
      guard let failed else { return layout }
      guard failed == .hostFull else { throw failed }
      layout.runs = []
    }
  }

  /// Seals and writes runs. Passes every ticket on, even after a failure.
  private func write(_ layout: RunLayout, on threads: Parallel) throws(VaultError) {
    log.assertNotLocked()
    var failed: VaultError?
    if threads.threads == 1 {
      for run in layout.runs { failed = failure(ofWriting: run) ?? failed }
    } else {
      // Runs are taken in the order of their tickets. So a thread that waits for its turn waits for a run that another
      // thread has taken.
      failed = threads.map(layout.runs) { self.failure(ofWriting: $0) }.compactMap(\.self).last
    }
    if let failed { throw failed }
  }

  /// Seals a run, and writes it when its turn comes. Returns the error, if any.
  private func failure(ofWriting run: Run) -> VaultError? {
    do throws(VaultError) {
      try unsafe SealingBuffers.pool.with(run.length) { (bytes) throws(VaultError) in
        unsafe run.seal(into: bytes)
        try unsafe write(run, UnsafeRawBufferPointer(bytes))
      }
      return nil
    } catch {
      return error
    }
  }

  private func write(_ run: Run, _ bytes: UnsafeRawBufferPointer) throws(VaultError) {
    try log.locked { log throws(VaultError) in
      while log.tail.writtenTicket != run.ticket { log.wait() }
      defer {
        log.tail.writtenTicket += 1
        log.announce()
      }
      try log.gate.requireOpen()
      if !log.tail.stalled.isEmpty {
        unsafe log.stall(run, bytes)
        return
      }
      let segmentSize = log.context.segmentSize
      do throws(VaultError) {
        try log.storeMakingRoom("writing a segment") { () throws(Errno) in
          try unsafe run.write(bytes, segmentSize: segmentSize)
        }
        if let completes = run.completes { log.durability.note(completes.segment, bytes: 0) }
        log.durability.note(run.segment, bytes: run.length)
        log.tail.writtenEnd = LogPosition(segment: run.segment.number, offset: run.offset + run.length)
      } catch .noSpace {
        unsafe log.stall(run, bytes)
      }
    }
  }

  /// Tries to write the stalled writes, which a full disk kept back.
  ///
  /// - Throws: `.noSpace` when the disk is still full.
  func resumeStalled() throws(VaultError) {
    try log.locked { log throws(VaultError) in
      guard !log.tail.stalled.isEmpty else { return }
      let ticket = log.tail.nextTicket
      log.tail.nextTicket += 1
      while log.tail.writtenTicket != ticket { log.wait() }
      defer {
        log.tail.writtenTicket += 1
        log.announce()
      }
      while let first = log.tail.stalled.first {
        try log.gate.requireOpen()
        try log.storeMakingRoom("writing a segment") { () throws(Errno) in try first.write() }
        log.tail.stalled.removeFirst()
        log.noteStalled()
        let end = LogPosition(segment: first.segment.number, offset: first.offset + first.bytes.count)
        log.tail.writtenEnd = max(log.tail.writtenEnd, end)
        log.durability.note(first.segment, bytes: 0)
      }
    }
  }
}

extension LockedLog {
  /// Writes to segments with `store`. A file system such as btrfs that writes to a new place needs room to write a
  /// block again, no matter how much is held. On a full host, a space that owns cover makes room.
  mutating func storeMakingRoom(_ action: String, _ body: () throws(Errno) -> Void) throws(VaultError) {
    // On btrfs a write takes room for a moment, and would take the room that another thread makes.
    while pool.isMakingRoom { wait() }
    var usesRoom = false
    while true {
      let times = pool.timesRoomWasMade
      do throws(VaultError) {
        try store(action, body)
        if usesRoom { pool.noteRoomTaken() }
        return
      } catch .noSpace where pool.ownsCover {
        guard makeHostRoom(since: times, isOfEpoch: true) else { throw .noSpace }
        usesRoom = true
      }
    }
  }

  /// Keeps the ciphertext of a run that found the disk full.
  fileprivate func stall(_ run: Run, _ bytes: UnsafeRawBufferPointer) {
    if let completes = run.completes {
      var padding = [UInt8](repeating: 0, count: context.segmentSize - completes.end)
      unsafe padding.withUnsafeMutableBytes { unsafe Sodium.fillPadding($0) }
      tail.stalled.append(
        StalledWrite(segment: completes.segment, offset: completes.end, bytes: padding, completes: true))
    }
    tail.stalled.append(
      StalledWrite(segment: run.segment, offset: run.offset, bytes: unsafe Array(bytes), completes: false))
    durability.unflushedBytes += run.length
    noteStalled()
  }
}

extension Run {
  /// Large runs begin their way to the disk at once, so that a later fsync waits for little.
  private static let startsFlush = 256 << 10

  /// Pads the segment before, if necessary, and hands the sealed bytes to the storage.
  func write(_ bytes: UnsafeRawBufferPointer, segmentSize: Int) throws(Errno) {
    if let completes {
      try padSegment(completes.segment.writer, from: completes.end, size: segmentSize)
    }
    try unsafe segment.writer.write(bytes, at: offset)
    if length >= Self.startsFlush { segment.writer.startFlush(from: offset, count: length) }
  }
}

extension StalledWrite {
  fileprivate func write() throws(Errno) {
    try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in
      try unsafe segment.writer.write(bytes, at: offset)
    }
    if completes { try segment.writer.finish() }
  }
}

/// Fills a segment file with random bytes from `offset` to `size` and marks it complete.
func padSegment(_ writer: any SegmentWriter, from offset: Int, size: Int) throws(Errno) {
  let buffer = SealingBuffers.pool.take(1 << 20)
  defer { SealingBuffers.pool.give(buffer) }
  var position = offset
  while position < size {
    let bytes = unsafe buffer.bytes(min(1 << 20, size - position))
    unsafe Sodium.fillPadding(bytes)
    try unsafe writer.write(UnsafeRawBufferPointer(bytes), at: position)
    position += bytes.count
  }
  try writer.finish()
}
