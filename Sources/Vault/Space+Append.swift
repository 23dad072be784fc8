internal import Crypto
internal import Storage
internal import System
internal import SystemPackage

/// Sealing what was reserved and handing it to the storage, in the order of the log.
extension Space {
  /// Appends file data; sealing happens in the calling thread, so that several callers seal at once.
  ///
  /// A write may come back as several pieces, cut at multiples of 4096 bytes where a segment ends. What does not fit into the epoch goes into
  /// the next one.
  ///
  /// - Throws: `.noSpace` when the disk is full; `.readOnly`; `.system` when writing failed.
  package func append(_ writes: [ExtentWrite]) throws(VaultError) -> [ExtentPiece] {
    try resumeStalled()
    for write in writes { unsafe precondition((1...Self.maximumExtentLength).contains(write.plaintext.count)) }
    var data = UnplacedData(writes)
    var pieces: [ExtentPiece] = []
    while let length = data.nextLength {
      let room = keys.extents.leastRoom(for: length)
      pieces += try reserveAndExecute(room: room, committing: false) { layout throws(VaultError) in
        try reserve(&data, into: &layout)
      }.pieces
    }
    return pieces
  }

  /// Reserves and writes a commit, with the pages that are changed by it, in one epoch. `committing` says that the caller has set `commitPending`.
  func appendCommit(
    _ pages: [PageWrite] = [], pageCount: UInt32, flags: UInt8 = 0, intents: IntentChange = .none, committing: Bool
  ) throws(VaultError) -> RunLayout {
    let length = RecordHeader.recordLength(bodyLength: CommitBody.bodyLength(intents))
    let room = PagesFormat.room(for: pages.count, commitLength: length, segmentSize: segmentSize)
    return try reserveAndExecute(room: room, committing: committing) { layout throws(VaultError) in
      try reserve(.pages(pages), into: &layout)
      try reserve(.commit(pageCount: pageCount, flags: flags, intents: intents), into: &layout)
    }
  }

  /// Has `reserve` reserve places, with the lock held, in an epoch that has `room` bytes left, and writes what it reserved.
  private func reserveAndExecute(
    room: Int, committing: Bool, _ reserve: (inout RunLayout) throws(VaultError) -> Void
  ) throws(VaultError) -> RunLayout {
    var layout = RunLayout()
    lock.lock()
    do throws(VaultError) {
      try checkWritable()
      try prepareEpoch(for: room, committing: committing)
      try reserve(&layout)
    } catch {
      // What was reserved has to be written all the same, since the log goes on after it.
      lock.unlock()
      try execute(layout)
      throw error
    }
    lock.unlock()
    try execute(layout)
    return layout
  }

  /// Seals and writes runs. Every ticket is given on, whatever fails.
  func execute(_ layout: RunLayout) throws(VaultError) {
    var failed: VaultError?
    for run in layout.runs {
      let buffer = SealingBuffers.pool.take(run.length)
      let bytes = unsafe buffer.bytes(run.length)
      unsafe run.seal(into: bytes)
      do throws(VaultError) {
        try unsafe write(run, UnsafeRawBufferPointer(bytes))
      } catch {
        failed = error
      }
      SealingBuffers.pool.give(buffer)
    }
    if let completes = layout.completes { complete(completes.segment, from: completes.end) }
    if let failed { throw failed }
  }

  private func write(_ run: Run, _ bytes: UnsafeRawBufferPointer) throws(VaultError) {
    lock.lock()
    while writtenTicket != run.ticket { changed.wait() }
    defer {
      writtenTicket += 1
      changed.broadcast()
      lock.unlock()
    }
    if let failure { throw .readOnly(failure) }
    if !stalled.isEmpty {
      unsafe stall(run, bytes)
      return
    }
    lock.unlock()
    var error: Errno?
    do throws(Errno) {
      if let completes = run.completes { try pad(completes.segment, from: completes.end) }
      try unsafe run.segment.writer.write(bytes, at: run.offset)
      // Large runs start on their way to the disk at once, so that an fsync later finds little to wait for.
      if run.length >= 256 << 10 { run.segment.writer.startFlush(from: run.offset, count: run.length) }
    } catch let problem {
      error = problem
    }
    lock.lock()
    switch error {
    case nil: account(run)
    case Errno.noSpace?, Errno.diskQuotaExceeded?: unsafe stall(run, bytes)
    case let error?: throw fail(error, "writing segment \(run.segment.identifier)")
    }
  }

  private func account(_ run: Run) {
    unflushedCount += run.length
    writtenEnd = LogPosition(segment: run.segment.number, offset: run.offset + run.length)
    if !unflushed.contains(where: { $0 === run.segment }) { unflushed.append(run.segment) }
  }

  /// Keeps the ciphertext of a run that found the disk full: only the same bytes may ever be written at its offsets. Lock held.
  private func stall(_ run: Run, _ bytes: UnsafeRawBufferPointer) {
    if let completes = run.completes {
      var padding = [UInt8](repeating: 0, count: segmentSize - completes.end)
      unsafe padding.withUnsafeMutableBytes { unsafe Sodium.fillPadding($0) }
      stalled.append(
        StalledWrite(segment: completes.segment, offset: completes.end, bytes: padding, completes: true))
    }
    stalled.append(
      StalledWrite(segment: run.segment, offset: run.offset, bytes: unsafe Array(bytes), completes: false))
    unflushedCount += run.length
  }

  /// Tries to write what a full disk kept back.
  ///
  /// - Throws: `.noSpace` when it is still full.
  func resumeStalled() throws(VaultError) {
    lock.lock()
    defer { lock.unlock() }
    guard !stalled.isEmpty else { return }
    let ticket = nextTicket
    nextTicket += 1
    while writtenTicket != ticket { changed.wait() }
    defer {
      writtenTicket += 1
      changed.broadcast()
    }
    while let first = stalled.first {
      if let failure { throw .readOnly(failure) }
      lock.unlock()
      var error: Errno?
      do throws(Errno) {
        try writeBytes(first.bytes, to: first.segment.writer, at: first.offset)
        if first.completes { try first.segment.writer.finish() }
      } catch let problem {
        error = problem
      }
      lock.lock()
      switch error {
      case nil:
        stalled.removeFirst()
        writtenEnd = max(
          writtenEnd, LogPosition(segment: first.segment.number, offset: first.offset + first.bytes.count))
        if !unflushed.contains(where: { $0 === first.segment }) { unflushed.append(first.segment) }
      case Errno.noSpace?, Errno.diskQuotaExceeded?: throw .noSpace
      case let error?: throw fail(error, "writing segment \(first.segment.identifier)")
      }
    }
  }

  /// Fills a segment with random bytes from `offset` and marks it complete.
  func pad(_ segment: OpenSegment, from offset: Int) throws(Errno) {
    try padSegment(segment.writer, from: offset, size: segmentSize)
  }

  /// Completes a segment that no run follows, which happens only when the next segment got no record.
  private func complete(_ segment: OpenSegment, from offset: Int) {
    lock.lock()
    let ticket = nextTicket
    nextTicket += 1
    while writtenTicket != ticket { changed.wait() }
    lock.unlock()
    // When this fails the file stays short; a later mount fills it up.
    try? pad(segment, from: offset)
    lock.lock()
    writtenTicket += 1
    changed.broadcast()
    lock.unlock()
  }
}

/// Writes an array.
func writeBytes(_ bytes: [UInt8], to writer: any SegmentWriter, at offset: Int) throws(Errno) {
  var result: Result<Void, Errno> = .success(())
  unsafe bytes.withUnsafeBytes { buffer in
    do throws(Errno) {
      try unsafe writer.write(buffer, at: offset)
    } catch {
      result = .failure(error)
    }
  }
  try result.get()
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
