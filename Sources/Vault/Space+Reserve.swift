internal import Crypto
internal import Storage
internal import SystemPackage

/// Giving places in the log to records. Everything here runs with the lock held.
extension Space {
  /// Reserves a place for what `plan` says, in the present epoch, which must have room for it, without a gap in the log.
  ///
  /// - Throws: `.noSpace` when a segment cannot be created; nothing is reserved then but what `layout` already holds.
  func reserve(_ plan: RecordPlan, into layout: inout RunLayout) throws(VaultError) {
    switch plan {
    case .pages(let pages): try reservePages(pages[...], into: &layout)
    case .commit(let pageCount, let flags, let intents):
      let bodyLength = CommitBody.bodyLength(intents)
      try makeRoom(RecordHeader.recordLength(bodyLength: bodyLength), in: &layout)
      sequence += 1
      let body = CommitBody(
        recordCount: layout.pagesRecordCount, pageCount: pageCount, sequence: sequence,
        flushedThrough: flushedThrough, chain: chain, intents: intents)
      let header = RecordHeader(kind: .commit, flags: flags | body.flags, bodyLength: bodyLength, first: sequence)
      add(header, .blob(body.encoded, kind: BlobKind.commit), to: &layout)
    case .head(let part, let total, let bytes):
      let bodyLength = bytes.count + CipherSuite.tagSize
      try makeRoom(RecordHeader.recordLength(bodyLength: bodyLength), in: &layout)
      let header = RecordHeader(
        kind: .head, bodyLength: bodyLength, first: UInt64(part), second: UInt64(total), third: UInt64(bytes.count))
      add(header, .blob(bytes, kind: BlobKind.head), to: &layout)
    }
  }

  private func reservePages(_ pages: ArraySlice<PageWrite>, into layout: inout RunLayout) throws(VaultError) {
    var rest = pages
    while !rest.isEmpty {
      var count = PagesFormat.fitting(rest.count, room: segmentSize - end)
      if count == 0 {
        try roll(in: &layout)
        count = PagesFormat.fitting(rest.count, room: segmentSize - end)
      }
      let part = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      let first = end + RecordHeader.sealedSize + 4 * count + CipherSuite.tagSize
      for (index, page) in part.enumerated() {
        let position = LogPosition(segment: endSegment, offset: first + index * PagesFormat.sealedPageSize)
        layout.pagePositions.append((page.number, position))
      }
      let header = RecordHeader(kind: .pages, bodyLength: PagesFormat.bodyLength(count), first: UInt64(count))
      add(header, .pages(part), to: &layout)
      layout.pagesRecordCount += 1
    }
  }

  /// Reserves places for file data, until all of it has one or the epoch has no room for more.
  ///
  /// - Throws: `.noSpace`, as `reserve(_:into:)`.
  func reserve(_ data: inout UnplacedData, into layout: inout RunLayout) throws(VaultError) {
    while let rest = data.nextLength {
      // A segment that was begun at the cost of the reserve is for what gives room back.
      guard data.start > 0 || reserveHeld || hasRoomForData else { throw .noSpace }
      var length = keys.extents.fitting(rest, room: segmentSize - end)
      if length == 0 {
        if endSegment.index + 1 == SegmentNumber.perEpoch { return }
        guard hasRoomForData else { throw .noSpace }
        try roll(in: &layout)
        length = keys.extents.fitting(rest, room: segmentSize - end)
      }
      let write = data.writes[data.index]
      let start = data.start
      let header = RecordHeader(
        kind: .extent, bodyLength: keys.extents.bodyLength(length), first: write.inode.rawValue,
        second: UInt64(bitPattern: (write.offset + start).rawValue), third: UInt64(length))
      layout.pieces.append(
        ExtentPiece(
          write: data.index, offset: write.offset + start, length: length,
          position: LogPosition(segment: endSegment, offset: end)))
      let plaintext = unsafe UnsafeRawBufferPointer(rebasing: write.plaintext[start..<start + length])
      unsafe add(header, .extent(plaintext, keys.extents), to: &layout)
      data.place(length)
    }
  }

  private func makeRoom(_ length: Int, in layout: inout RunLayout) throws(VaultError) {
    if end + length > segmentSize { try roll(in: &layout) }
  }

  private func add(_ header: RecordHeader, _ body: RunRecord.Body, to layout: inout RunLayout) {
    guard let segment = current else { preconditionFailure("a record was placed without a segment") }
    let sealedHeader = segment.key.seal(header.encoded, at: end, kind: BlobKind.recordHeader)
    chain = keys.chain(after: chain, tag: Array(sealedHeader.suffix(CipherSuite.tagSize)))
    let length = header.recordLength
    var run = layout.runs.popLast()
    if let open = run, open.segment !== segment || open.length + length > SealingBuffers.capacity {
      layout.runs.append(open)
      run = nil
    }
    if run == nil {
      let startsSegment = end == SegmentFormat.recordsStart
      run = Run(
        segment: segment, offset: startsSegment ? 0 : end, length: startsSegment ? SegmentFormat.recordsStart : 0,
        ticket: nextTicket, completes: layout.completes, startsSegment: startsSegment)
      nextTicket += 1
      layout.completes = nil
    }
    run?.records.append(RunRecord(offset: end, sealedHeader: sealedHeader, body: body, bodyLength: header.bodyLength))
    run?.length += length
    if let run { layout.runs.append(run) }
    end += length
    recordsSinceHead += 1
  }

  /// Goes on in the next segment of the epoch, which must have one left.
  private func roll(in layout: inout RunLayout) throws(VaultError) {
    guard let old = current else { preconditionFailure("the log has no segment to go on from") }
    let index = endSegment.index + 1
    precondition(index < SegmentNumber.perEpoch, "the epoch has no segment left")
    let number = SegmentNumber(epoch: endSegment.epoch, index: index)
    guard let branch = branch(of: number.epoch) else { preconditionFailure("the epoch has no branch") }
    let segment = try createSegment(number, branch: branch, previousEnd: end, replacing: old)
    layout.completes = (old, end)
    current = segment
    endSegment = number
    end = SegmentFormat.recordsStart
  }

  /// Creates a segment file and takes over the reserve from the segment before.
  func createSegment(
    _ number: SegmentNumber, branch: [UInt8], previousEnd: Int, replacing old: OpenSegment?
  ) throws(VaultError) -> OpenSegment {
    let identifier = keys.identifier(number, branch: branch)
    let writer: any SegmentWriter
    do throws(Errno) {
      writer = try createFile(identifier, replacing: old)
    } catch .noSpace, .diskQuotaExceeded {
      throw .noSpace
    } catch .fileExists {
      failure = "the space was continued elsewhere: segment \(identifier) exists already"
      throw .readOnly(failure ?? "")
    } catch {
      throw fail(error, "creating segment \(identifier)")
    }
    epochs[number.epoch, default: EpochEntry(branch: branch, present: 0)].present |= 1 << UInt64(number.index)
    holdRoom(writer, replacing: old)
    let salt = Sodium.randomBytes(SegmentFormat.saltSize)
    let key = keys.segmentKey(salt: salt)
    let header = SegmentHeader(number: number, branch: branch, previousEnd: previousEnd, chain: chain)
    let sealed = key.seal(header.encoded, at: SegmentFormat.saltSize, kind: BlobKind.segmentHeader)
    let segment = OpenSegment(
      number: number, identifier: identifier, writer: writer, key: key, start: salt + sealed)
    cache.insert(SegmentHandle(number: number, key: key, reader: writer))
    unflushed.append(segment)
    return segment
  }

  /// Creates a file, with room from the reserve where the disk has not even that much. Nothing may be on its way into the segment before then.
  private func createFile(
    _ identifier: SegmentIdentifier, replacing old: OpenSegment?
  ) throws(Errno) -> any SegmentWriter {
    do throws(Errno) {
      return try storage.create(identifier)
    } catch .tooManyOpenFiles, .tooManyOpenFilesInSystem {
      // What is kept open for reading can be opened again.
      cache.removeAll()
      return try storage.create(identifier)
    } catch {
      let isFull = error == .noSpace || error == .diskQuotaExceeded
      guard isFull, let old, reserveHeld, writtenTicket == nextTicket else { throw error }
      try old.writer.releaseHold()
      reserveHeld = false
      defer { giveReserveBack(old) }
      return try storage.create(identifier)
    }
  }
}
