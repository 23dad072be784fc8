internal import Crypto
internal import System
internal import SystemPackage

/// The pages of the space's database.
extension Space {
  /// Pages of the database as of the last commit.
  package var databasePageCount: UInt32 { lock.withLock { unwrittenPageCount ?? map.pageCount } }

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
    lock.lock()
    if let unwritten = unwrittenPages[number] {
      lock.unlock()
      unsafe page.copyBytes(from: unwritten)
      return
    }
    let position = map.position(of: number)
    lock.unlock()
    guard let position else { throw .damaged("database page \(number.rawValue) is not in the map") }
    try unsafe readBlob(position, kind: BlobKind.databasePage, into: page)
  }

  /// Appends changed pages and the commit that closes them, without flushing.
  ///
  /// On a full disk it keeps the pages in memory and returns normally; `hasUnwrittenCommit` is true then, and `barrier()` throws `.noSpace` until
  /// there is room again.
  ///
  /// - Throws: `.readOnly`; `.system` when writing failed, after which the space is read-only.
  package func commit(_ pages: [PageWrite], pageCount: UInt32) throws(VaultError) {
    lock.lock()
    do throws(VaultError) {
      try beginCommit()
    } catch {
      lock.unlock()
      throw error
    }
    var copies = unwrittenPages
    let queued = rewriteQueue
    lock.unlock()
    defer { endCommit() }

    let given = Set(pages.map(\.number))
    for number in given { copies[number] = nil }
    for number in queued where copies[number] == nil && !given.contains(number) && number.rawValue <= pageCount {
      // What cannot be read stays where it is, and is reported where it is needed.
      copies[number] = try? readPageBytes(number)
    }
    do throws(VaultError) {
      try resumeStalled()
      try appendCommit(pages, copies: copies, pageCount: pageCount)
      lock.withLock {
        unwrittenPages.removeAll()
        unwrittenPageCount = nil
        rewriteQueue.subtract(queued)
      }
    } catch .noSpace {
      for page in pages { copies[page.number] = unsafe Array(page.bytes) }
      lock.withLock {
        unwrittenPages = copies
        unwrittenPageCount = pageCount
      }
    }
  }

  /// Waits until no other commit is on its way. Lock held; given away meanwhile.
  func beginCommit() throws(VaultError) {
    while commitPending || switching { changed.wait() }
    try checkWritable()
    commitPending = true
  }

  /// Ends what `beginCommit()` began. Call without the lock.
  func endCommit() {
    lock.lock()
    commitPending = false
    changed.broadcast()
    lock.unlock()
  }

  /// Tries to append a commit that a full disk kept in memory.
  func commitUnwritten() throws(VaultError) {
    guard let pageCount = lock.withLock({ unwrittenPageCount }) else { return }
    try commit([], pageCount: pageCount)
    if lock.withLock({ unwrittenPageCount != nil }) { throw .noSpace }
  }

  /// Has pages copied forward by the next commit.
  package func rewritePagesAtNextCommit(_ pages: [PageNumber]) {
    lock.withLock { rewriteQueue.formUnion(pages) }
  }

  private func readPageBytes(_ number: PageNumber) throws(VaultError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.databasePageSize)
    var result: Result<Void, VaultError> = .success(())
    unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(VaultError) {
        try unsafe readPage(number, into: buffer)
      } catch {
        result = .failure(error)
      }
    }
    try result.get()
    return bytes
  }

  private func appendCommit(
    _ pages: [PageWrite], copies: [PageNumber: [UInt8]], pageCount: UInt32
  ) throws(VaultError) {
    // The copies live in one block of memory while they are sealed.
    let block = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, copies.count * Self.databasePageSize), alignment: 16)
    defer { unsafe block.deallocate() }
    var all = pages
    for (index, copy) in copies.sorted(by: { $0.key < $1.key }).enumerated() {
      let start = index * Self.databasePageSize
      let place = unsafe UnsafeMutableRawBufferPointer(rebasing: block[start..<start + Self.databasePageSize])
      unsafe place.copyBytes(from: copy.value)
      unsafe all.append(PageWrite(number: copy.key, bytes: UnsafeRawBufferPointer(place)))
    }
    let intents = lock.withLock { nextIntents }
    let layout: RunLayout
    do throws(VaultError) {
      layout = try appendCommit(
        all, pageCount: pageCount, intents: intents, committing: true)
    } catch {
      // A segment can take its room from the reserve only when nothing is on its way into the one before. Now nothing is.
      guard error == .noSpace, lock.withLock({ reserveHeld && stalled.isEmpty }) else { throw error }
      layout = try appendCommit(
        all, pageCount: pageCount, intents: intents, committing: true)
    }
    lock.withLock {
      take(intents)
      nextIntents = .none
      map.resize(to: pageCount)
      for (page, position) in layout.pagePositions { map.set(page, to: position) }
    }
  }
}

extension Space {
  /// The same, for pages that are named by pairs.
  package func commit(pages: [(PageNumber, UnsafeRawBufferPointer)], pageCount: UInt32) throws(VaultError) {
    try commit(unsafe pages.map { unsafe PageWrite(number: $0.0, bytes: unsafe $0.1) }, pageCount: pageCount)
  }
}
