internal import Crypto
internal import Storage
internal import SystemPackage

/// Reserves places for records. `tail` is the log's own tail, or the tail of an epoch that is being begun.
extension LockedLog {
  /// Places pages of the database, in several records if necessary, and removes the placed pages from `rest`.
  ///
  /// - Throws: `.noSpace` or `.hostFull` when a segment cannot be created. The caller must still write the runs in
  ///   `layout`.
  func place(
    _ rest: inout ArraySlice<DatabasePage>, for use: RoomUse, at tail: inout LogTail, into layout: inout RunLayout
  ) throws(VaultError) {
    while !rest.isEmpty {
      var count = PagesFormat.fitting(rest.count, room: context.segmentSize - tail.end)
      if count == 0 {
        try roll(&tail, for: use)
        count = PagesFormat.fitting(rest.count, room: context.segmentSize - tail.end)
      }
      let part = Array(rest.prefix(count))
      let first = tail.end + RecordHeader.sealedSize + 4 * count + CipherSuite.tagSize
      for (index, page) in part.enumerated() {
        let position = LogPosition(segment: tail.segment, offset: first + index * PagesFormat.sealedPageSize)
        layout.pagePositions.append((page.number, position))
      }
      let header = RecordHeader(kind: .pages, bodyLength: PagesFormat.bodyLength(count), first: UInt64(count))
      try add(header, .pages(part), for: use, at: &tail, to: &layout)
      rest = rest.dropFirst(count)
      layout.pagesRecordCount += 1
    }
  }

  /// Places a commit of the pages in `layout`.
  ///
  /// - Throws: as `place(_:at:into:)`; `.system` after shutting the gate when there is no higher sequence number.
  func placeCommit(
    pageCount: UInt32, flags: UInt8, intents: IntentChange, for use: RoomUse, at tail: inout LogTail,
    into layout: inout RunLayout
  ) throws(VaultError) {
    guard tail.sequence < CommitBody.highestSequence else { throw fail(.fileTooLarge, "numbering a commit") }
    let body = CommitBody(
      recordCount: layout.pagesRecordCount, pageCount: pageCount, sequence: tail.sequence + 1,
      flushedThrough: durability.flushedThrough, chain: tail.chain, intents: intents)
    let header = RecordHeader(
      kind: .commit, flags: flags | body.flags, bodyLength: CommitBody.bodyLength(intents), first: body.sequence)
    try add(header, .blob(body.encoded, kind: BlobKind.commit), for: use, at: &tail, to: &layout)
    tail.sequence = body.sequence
  }

  /// Places one part of a head's state; `total` is the size of the whole state in bytes.
  ///
  /// - Throws: as `place(_:at:into:)`.
  func placeHead(
    part: Int, total: Int, _ bytes: [UInt8], at tail: inout LogTail, into layout: inout RunLayout
  ) throws(VaultError) {
    let header = RecordHeader(
      kind: .head, bodyLength: bytes.count + CipherSuite.tagSize, first: UInt64(part), second: UInt64(total),
      third: UInt64(bytes.count))
    try add(header, .blob(bytes, kind: BlobKind.head), for: .head, at: &tail, to: &layout)
  }

  /// Places file data until all of it has a place or the epoch is full, and removes the placed data from `writes`.
  ///
  /// - Throws: as `place(_:at:into:)`.
  func place(
    _ writes: inout ArraySlice<ExtentWrite>, for use: RoomUse, at tail: inout LogTail, into layout: inout RunLayout
  ) throws(VaultError) {
    let extents = context.keys.extents
    while let write = writes.first {
      let whole = unsafe write.plaintext.count
      var length = extents.fitting(whole, room: context.segmentSize - tail.end)
      if length == 0 {
        if tail.segment.index + 1 == SegmentNumber.perEpoch { return }
        try roll(&tail, for: use)
        length = extents.fitting(whole, room: context.segmentSize - tail.end)
      }
      let header = RecordHeader(
        kind: .extent, bodyLength: extents.bodyLength(length), first: write.inode.rawValue,
        second: UInt64(bitPattern: write.offset.rawValue), third: UInt64(length))
      layout.pieces.append(
        ExtentPiece(write: writes.startIndex, offset: write.offset, length: length, position: tail.position))
      let plaintext = unsafe UnsafeRawBufferPointer(rebasing: write.plaintext[..<length])
      try unsafe add(header, .extent(plaintext, extents), for: use, at: &tail, to: &layout)
      if use != .cleaning { tail.dataBytes += Int64(header.recordLength) }
      if length < whole {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: write.plaintext[length...])
        unsafe writes[writes.startIndex] = ExtentWrite(
          inode: write.inode, offset: write.offset + length, plaintext: rest)
      } else {
        writes = writes.dropFirst()
      }
    }
  }

  /// Places a record, in the next segment if it does not fit into this one.
  private func add(
    _ header: RecordHeader, _ body: RunRecord.Body, for use: RoomUse, at tail: inout LogTail,
    to layout: inout RunLayout
  ) throws(VaultError) {
    if tail.end + header.recordLength > context.segmentSize { try roll(&tail, for: use) }
    guard let segment = tail.current else { preconditionFailure("a record was placed without a segment") }
    let sealedHeader = segment.key.seal(header.encoded, at: tail.end, kind: BlobKind.recordHeader)
    tail.chain = context.keys.chain(
      after: tail.chain, tag: Array(sealedHeader.suffix(CipherSuite.tagSize)), in: segment.number.epoch)
    let length = header.recordLength
    var run = layout.runs.popLast()
    if let open = run, open.segment.number != segment.number || open.length + length > SealingBuffers.capacity {
      layout.runs.append(open)
      run = nil
    }
    if run == nil {
      let startsSegment = tail.end == SegmentFormat.recordsStart
      run = Run(
        segment: segment, offset: startsSegment ? 0 : tail.end,
        length: startsSegment ? SegmentFormat.recordsStart : 0, ticket: tail.nextTicket, completes: tail.incomplete,
        startsSegment: startsSegment)
      tail.nextTicket += 1
      tail.incomplete = nil
    }
    run?.records.append(
      RunRecord(offset: tail.end, sealedHeader: sealedHeader, body: body, bodyLength: header.bodyLength))
    run?.length += length
    if let run { layout.runs.append(run) }
    tail.end += length
    tail.recordsSinceHead += 1
  }

  /// Continues in the next segment of the epoch. The epoch must have another segment left.
  private func roll(_ tail: inout LogTail, for use: RoomUse) throws(VaultError) {
    guard let old = tail.current else { preconditionFailure("the log has no segment to go on from") }
    let index = tail.segment.index + 1
    precondition(index < SegmentNumber.perEpoch, "the epoch has no segment left")
    let number = SegmentNumber(epoch: tail.segment.epoch, index: index)
    guard let branch = catalog.branch(of: number.epoch) else { preconditionFailure("the epoch has no branch") }
    let segment = try createSegment(number, branch: branch, previousEnd: tail.end, chain: tail.chain, for: use)
    tail.incomplete = (old, tail.end)
    tail.current = segment
    tail.segment = number
    tail.end = SegmentFormat.recordsStart
  }

  /// Creates a segment file and holds room for it.
  ///
  /// - Throws: `.noSpace` if the file was not created, or `.hostFull` instead in a space that owns cover
  ///   (`makingHostRoom` and `placeAndWrite` handle it); `.readOnly` and `.system` after shutting the gate.
  func createSegment(
    _ number: SegmentNumber, branch: [UInt8], previousEnd: Int, chain: [UInt8], for use: RoomUse
  ) throws(VaultError) -> OpenSegment {
    try makeRoom(for: use)
    let keys = context.keys
    let identifier = keys.identifier(number, branch: branch)
    let writer: any SegmentWriter
    do throws(Errno) {
      writer = try makeFile(identifier)
    } catch .noSpace, .diskQuotaExceeded {
      room.holdReserve()
      throw pool.ownsCover ? .hostFull : room.refusal()
    } catch .fileExists {
      let reason = "the space was continued elsewhere: the next segment exists already"
      gate.shut(because: reason)
      announce()
      throw .readOnly(gate.reason ?? reason)
    } catch {
      throw fail(error, "creating a segment")
    }
    catalog.insert(number, branch: branch)
    room.holdReserve()
    let salt = Sodium.randomBytes(SegmentFormat.saltSize)
    let key = keys.segmentKey(salt: salt)
    let header = SegmentHeader(number: number, branch: branch, previousEnd: previousEnd, chain: chain)
    let sealed = key.seal(header.encoded, at: SegmentFormat.saltSize, kind: BlobKind.segmentHeader)
    let segment = OpenSegment(number: number, identifier: identifier, writer: writer, key: key, start: salt + sealed)
    cache.insert(SegmentHandle(header, key: key, reader: writer))
    durability.note(segment, bytes: 0)
    durability.newNames.append(identifier)
    return segment
  }
}
