internal import Storage
internal import System
internal import SystemPackage

/// Commits, and the pages of the database that they are of.
extension Space {
  /// Pages of the database as of the last commit.
  package var databasePageCount: UInt32 { log.locked { $0.database.map.pageCount } }

  /// Pages that one commit can have, since it lies in one epoch.
  package var maximumPagesInCommit: UInt32 {
    UInt32((SegmentNumber.perEpoch - 4) * (segmentSize / PagesFormat.bodyLength(PagesFormat.pagesPerRecord)))
      * UInt32(PagesFormat.pagesPerRecord)
  }

  /// Reads one page of the database as of the last commit, 4096 bytes.
  ///
  /// - Throws: `.damaged` when the page is missing or does not authenticate.
  package func readPage(_ number: PageNumber, into page: UnsafeMutableRawBufferPointer) throws(VaultError) {
    precondition(page.count == Self.databasePageSize)
    guard let position = log.locked({ $0.database.map.position(of: number) }) else {
      throw .damaged("database page \(number.rawValue) is not in the map")
    }
    try unsafe readBlob(position, kind: BlobKind.databasePage, into: page)
  }

  /// The intents that count, in the order of the log.
  ///
  /// - Throws: `.damaged` when they mean nothing, which only a faulty program writes.
  package func writeIntents() throws(VaultError) -> [WriteIntent] {
    let bytes = log.locked { $0.database.intents }
    do throws(ByteReader.Malformed) {
      return try WriteIntent.decode(bytes)
    } catch {
      throw .damaged("writes that the log states mean nothing")
    }
  }

  /// Appends a commit to the log, all or nothing, without flushing. One commit is under way at a time.
  ///
  /// - Throws: `.noSpace` when there is no room: the caller keeps the transaction and tries again; `.readOnly`; `.system`
  ///   when writing failed, after which the gate is shut.
  package func commit(_ transaction: LogTransaction) throws(VaultError) {
    try commit(transaction, flags: 0)
  }

  /// As `commit(_:)`, with flags of the record's header.
  func commit(_ transaction: LogTransaction, flags: UInt8) throws(VaultError) {
    var transaction = transaction
    try log.locked { log throws(VaultError) in
      try log.beginCommit()
      // What is replaced by itself stays.
      if transaction.intents.replacesOlder, transaction.intents.bytes == log.database.intents {
        transaction.intents = .none
      }
    }
    defer { log.locked { $0.endCommit() } }
    try resumeStalled()
    let pages = pages(of: transaction)
    let use: RoomUse = transaction.isOptional ? .data : .commit
    let length = RecordHeader.recordLength(bodyLength: CommitBody.bodyLength(transaction.intents))
    let room = PagesFormat.room(for: pages.count, commitLength: length, segmentSize: segmentSize)
    let layout = try placeAndWrite { log, layout throws(VaultError) in
      guard log.tail.stalled.isEmpty else { throw .noSpace }
      if transaction.isOptional, !log.admit(Int64(length), waiting: 0) { throw .noSpace }
      try log.prepareEpoch(room: room, for: use, isOwnCommit: true)
      // Whatever has a place takes room, even if the rest finds none.
      try log.requireRoom(room, for: use)
      let pageCount = transaction.database?.pageCount ?? log.database.map.pageCount
      try log.place(pages, for: use, at: &log.tail, into: &layout)
      try log.placeCommit(
        pageCount: pageCount, flags: flags, intents: transaction.intents, for: use, at: &log.tail, into: &layout)
    }
    log.locked { $0.apply(transaction, layout) }
  }

  /// The pages that a transaction writes, those included that it moves, in the order of their numbers.
  private func pages(of transaction: LogTransaction) -> [DatabasePage] {
    var pages = transaction.database?.pages ?? [:]
    let pageCount = transaction.database?.pageCount ?? databasePageCount
    for number in transaction.moving where pages[number] == nil && number.rawValue <= pageCount {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.databasePageSize, alignment: 16)
      let image = unsafe PageImage(adopting: memory)
      do throws(VaultError) {
        try unsafe readPage(number, into: memory)
      } catch {
        // A page that cannot be read stays where it is, and is reported where it is needed.
        continue
      }
      pages[number] = image
    }
    return pages.sorted { $0.key < $1.key }.map { DatabasePage(number: $0.key, image: $0.value) }
  }
}

extension LockedLog {
  /// Waits until no other commit is under way.
  fileprivate mutating func beginCommit() throws(VaultError) {
    while tail.isCommitting || tail.isBeginningEpoch { wait() }
    try gate.requireOpen()
    tail.isCommitting = true
  }

  /// Ends what `beginCommit()` began.
  fileprivate func endCommit() {
    tail.isCommitting = false
    announce()
  }

  /// Makes a commit count that was handed to the storage.
  fileprivate func apply(_ transaction: LogTransaction, _ layout: RunLayout) {
    transaction.intents.apply(to: &database.intents)
    if let changes = transaction.database { database.map.resize(to: changes.pageCount) }
    for (page, position) in layout.pagePositions { database.map.set(page, to: position) }
    catalog.retire(transaction.retiring.filter { !isInUse($0) })
  }

  /// Whether a segment is being written, waits for its flush, or holds current pages of the database.
  private func isInUse(_ segment: SegmentNumber) -> Bool {
    segment == tail.current?.number || database.map.count(in: segment) > 0
      || durability.unflushed.contains { $0.number == segment }
  }
}
