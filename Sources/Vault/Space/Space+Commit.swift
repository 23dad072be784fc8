internal import Storage
internal import System
internal import SystemPackage

/// Commits, and reads of the committed pages of the database.
extension Space {
  /// The number of pages of the database as of the last commit.
  package var databasePageCount: UInt32 { log.locked { $0.database.map.pageCount } }

  /// The number of the last commit. Numbers are consecutive, also across mounts.
  package var stateNumber: UInt64 { log.locked { $0.tail.sequence } }

  /// The most pages in one commit, which must fit into one epoch.
  package var maximumPagesInCommit: UInt32 {
    UInt32((SegmentNumber.perEpoch - 4) * (segmentSize / PagesFormat.bodyLength(PagesFormat.pagesPerRecord)))
      * UInt32(PagesFormat.pagesPerRecord)
  }

  /// The most pages that the database may have.
  package var mostPages: UInt32 { Self.mostDatabasePages(segmentSize: segmentSize) }

  /// Reads one page of the database as of the last commit, 4096 bytes.
  ///
  /// - Throws: `.damaged` when the page is missing or does not authenticate.
  package func readPage(_ number: PageNumber, into page: UnsafeMutableRawBufferPointer) throws(VaultError) {
    precondition(page.count == Self.databasePageSize)
    var tried: LogPosition?
    while true {
      guard let position = log.locked({ $0.database.map.position(of: number) }) else {
        throw .damaged("database page \(number.rawValue) is not in the map")
      }
      do throws(VaultError) {
        return try unsafe readBlob(position, kind: BlobKind.databasePage, into: page)
      } catch {
        // The page may have been moved since, and its segment deleted.
        if position == tried { throw error }
        tried = position
      }
    }
  }

  /// The pending write intents, in the order of the log.
  ///
  /// - Throws: `.damaged` when they are malformed, which only a faulty program can cause.
  package func writeIntents() throws(VaultError) -> [WriteIntent] {
    let bytes = log.locked { $0.database.intents }
    do throws(ByteReader.Malformed) {
      return try WriteIntent.decode(bytes)
    } catch {
      throw .damaged("the write intents in the log are malformed")
    }
  }

  /// Appends a commit to the log, all or nothing, without a flush. Commits run one after the other.
  ///
  /// - Throws: `.noSpace` when there is no room; the caller keeps the transaction and tries again. `.readOnly`.
  ///   `.system` when the write failed, after shutting the gate.
  package func commit(_ transaction: LogTransaction) throws(VaultError) {
    Waiting.assertAllowed()
    var transaction = transaction
    try log.locked { log throws(VaultError) in
      try log.beginCommit()
      // Intents that replace equal ones need no room.
      if transaction.intents.replacesOlder, transaction.intents.bytes == log.database.intents {
        transaction.intents = .none
      }
    }
    defer { log.locked { $0.endCommit() } }
    try resumeStalled()
    guard transaction.database?.pageCount ?? 0 <= mostPages else { throw .noSpace }
    let pages = pages(of: transaction)
    let use: RoomUse = transaction.isOptional ? .data : .commit
    let length = RecordHeader.recordLength(bodyLength: CommitBody.bodyLength(transaction.intents))
    let room = PagesFormat.room(for: pages.count, commitLength: length, segmentSize: segmentSize)
    var rest = pages[...]
    let layout = try placeAndWrite { log, layout throws(VaultError) in
      if !log.tail.isPlacingCommit {
        guard log.tail.stalled.isEmpty else { throw .noSpace }
        if transaction.isOptional, !log.admit(Int64(length), waiting: 0) { throw .noSpace }
        try log.prepareEpoch(room: room, for: use, isOwnCommit: true)
        // Ask for all room first: placed records take room, even if the rest finds none. An optional commit was
        // admitted already, and is a single record.
        if !transaction.isOptional { try log.requireRoom(room, for: use) }
      }
      let pageCount = transaction.database?.pageCount ?? log.database.map.pageCount
      do throws(VaultError) {
        try log.place(&rest, for: use, at: &log.tail, into: &layout)
        try log.placeCommit(
          pageCount: pageCount, flags: transaction.isLast ? RecordHeader.closedFlag : 0, intents: transaction.intents,
          for: use, at: &log.tail, into: &layout)
      } catch {
        log.tail.isPlacingCommit = true
        throw error
      }
    }
    log.locked { $0.apply(transaction, layout) }
  }

  /// The changed and the moved pages of a transaction, in the order of their numbers.
  private func pages(of transaction: LogTransaction) -> [DatabasePage] {
    var pages = transaction.database?.pages ?? [:]
    let pageCount = transaction.database?.pageCount ?? databasePageCount
    for number in transaction.moving where pages[number] == nil && number.rawValue <= pageCount {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.databasePageSize, alignment: 16)
      let image = unsafe PageImage(adopting: memory)
      do throws(VaultError) {
        try unsafe readPage(number, into: memory)
      } catch {
        // An unreadable page is not moved. Its readers report the damage.
        continue
      }
      pages[number] = image
    }
    return pages.sorted { $0.key < $1.key }.map { DatabasePage(number: $0.key, image: $0.value) }
  }
}

extension LockedLog {
  /// Begins a commit when the running one has ended.
  fileprivate mutating func beginCommit() throws(VaultError) {
    while tail.isCommitting || tail.isBeginningEpoch { wait() }
    try gate.requireOpen()
    tail.isCommitting = true
  }

  /// Ends the commit that `beginCommit()` began.
  fileprivate func endCommit() {
    tail.isCommitting = false
    tail.isPlacingCommit = false
    announce()
  }

  /// Applies a written commit to the state in memory.
  fileprivate func apply(_ transaction: LogTransaction, _ layout: RunLayout) {
    transaction.intents.apply(to: &database.intents)
    if let changes = transaction.database { database.map.resize(to: changes.pageCount) }
    for (page, position) in layout.pagePositions { database.map.set(page, to: position) }
    // No other commit was placed since, so the number in the tail is that of this commit.
    database.number = tail.sequence
    catalog.retire(transaction.retiring.filter { !isInUse($0) })
  }

  /// Whether a segment is open, waits for its flush, or holds current pages of the database.
  private func isInUse(_ segment: SegmentNumber) -> Bool {
    segment == tail.current?.number || database.map.count(in: segment) > 0
      || durability.unflushed.contains { $0.number == segment }
  }
}
