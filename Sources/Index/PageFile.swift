// The only file of the VFS: SQLite's database, stored as numbered pages in a page store.
//
// Invariants
// 1. SQLite reads what it wrote last: pages written since the last commit are found before those in the store.
// 2. At its commit, SQLite sends SQLITE_FCNTL_SYNC. Then all pages of the transaction and the size are gathered
//    together (`unlogged`). The file system commits them to the log; until then they are read from memory. The size is
//    in page 1, which is part of any commit that changes it. SQLite truncates only afterwards.
// 3. Each page up to the size is gathered or in the store. SQLite does not write pages that it frees in the transaction
//    that created them, nor the page at 1 GiB, which it uses for locks. Those are gathered as zeros.

internal import Glibc
package import Vault

/// Counts of SQLite's requests that must never happen.
package struct PageFileCounters: Equatable, Sendable {
  /// Journals and temporary files that were refused.
  package var refusedOpens = 0
  /// Reads and writes of parts of pages where whole pages are required.
  package var unalignedAccesses = 0
  /// Writes of the page that SQLite uses for locks.
  package var lockPageWrites = 0
  /// Sets all counts to 0.
  package init() {}
}

/// SQLite's database file over a page store.
package final class PageFile {
  static let pageSize = Space.databasePageSize
  /// The page at 1 GiB.
  static let lockPage: UInt32 = 0x4000_0000 / UInt32(pageSize) + 1

  private let store: any PageStore
  /// Pages written since SQLite's last commit.
  private var pending: [PageNumber: PageImage] = [:]
  /// Pages that SQLite has committed but the log does not have yet.
  private var gathered: [PageNumber: PageImage] = [:]
  /// The number of pages: now, as of SQLite's last commit, and as of the log's last commit.
  private var pageCount: UInt32
  private var committedPageCount: UInt32
  private var loggedPageCount: UInt32

  /// The last error of the store.
  package private(set) var lastError: VaultError?
  /// Whether the store is a snapshot that has ended, so that a page could not be read.
  private(set) var hasEnded = false
  /// Counts that must stay zero.
  package var counters = PageFileCounters()

  /// Opens the last committed state of `store`.
  package init(_ store: any PageStore) {
    self.store = store
    pageCount = store.databasePageCount
    committedPageCount = pageCount
    loggedPageCount = pageCount
  }

  /// Bytes in the file.
  var size: Int64 { Int64(pageCount) * Int64(Self.pageSize) }

  enum ReadResult { case whole, beyondEnd, failed }

  /// Fills `buffer` from `offset` on. SQLite reads whole pages, with two exceptions: two reads of the header, and, from
  /// 3.45 on, reads of the beginning of an overflow page past its cache (SQLITE_DIRECT_OVERFLOW_READ).
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
    let start = Int(offset % Int64(Self.pageSize))
    guard offset >= 0, start + buffer.count <= Self.pageSize, offset / Int64(Self.pageSize) < Int64(UInt32.max) else {
      counters.unalignedAccesses += 1
      return .failed
    }
    let number = UInt32(offset / Int64(Self.pageSize)) + 1
    guard number <= pageCount else {
      unsafe _ = buffer.initializeMemory(as: UInt8.self, repeating: 0)
      return .beyondEnd
    }
    if buffer.count == Self.pageSize { return unsafe readPage(number, into: buffer) ? .whole : .failed }
    if number != 1, start != 0 { counters.unalignedAccesses += 1 }
    return unsafe withUnsafeTemporaryAllocation(byteCount: Self.pageSize, alignment: 16) { page in
      guard unsafe readPage(number, into: page) else { return .failed }
      unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: page[start..<start + buffer.count]))
      return .whole
    }
  }

  private func readPage(_ number: UInt32, into page: UnsafeMutableRawBufferPointer) -> Bool {
    if let image = pending[PageNumber(rawValue: number)] ?? gathered[PageNumber(rawValue: number)] {
      unsafe page.copyMemory(from: image.bytes)
      return true
    }
    guard number <= committedPageCount else {
      unsafe _ = page.initializeMemory(as: UInt8.self, repeating: 0)
      return true
    }
    do throws(VaultError) {
      try unsafe store.readPage(PageNumber(rawValue: number), into: page)
      return true
    } catch {
      lastError = error
      if error == .snapshotEnded { hasEnded = true }
      return false
    }
  }

  /// Writes a page in the open transaction; false when it is not a whole page.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
    guard offset >= 0, bytes.count == Self.pageSize, offset % Int64(Self.pageSize) == 0,
      offset / Int64(Self.pageSize) < Int64(UInt32.max)
    else {
      counters.unalignedAccesses += 1
      return false
    }
    let number = UInt32(offset / Int64(Self.pageSize)) + 1
    if number == Self.lockPage { counters.lockPageWrites += 1 }
    pending[PageNumber(rawValue: number)] = unsafe PageImage(copying: bytes)
    pageCount = max(pageCount, number)
    return true
  }

  func truncate(to size: Int64) {
    setPageCount(UInt32(clamping: size / Int64(Self.pageSize)))
  }

  private func setPageCount(_ count: UInt32) {
    if count < pageCount { pending = pending.filter { $0.key.rawValue <= count } }
    pageCount = count
  }

  /// Gathers all pages written since SQLite's last commit (invariant 2).
  func gather() {
    if let header = pending[PageNumber(rawValue: 1)] {
      let count = unsafe UInt32(bigEndian: header.bytes.loadUnaligned(fromByteOffset: 28, as: UInt32.self))
      if count != 0 { setPageCount(count) }
    }
    if pageCount > committedPageCount {
      let zeros = PageImage([UInt8](repeating: 0, count: Self.pageSize))
      let new = (committedPageCount + 1...pageCount).map(PageNumber.init)
      for number in new where pending[number] == nil { pending[number] = zeros }
    }
    if pageCount < committedPageCount { gathered = gathered.filter { $0.key.rawValue <= pageCount } }
    gathered.merge(pending) { $1 }
    pending.removeAll()
    committedPageCount = pageCount
  }

  /// The changes that SQLite has committed but the log does not have yet; nil when the log has all.
  package var unlogged: PageChanges? {
    if gathered.isEmpty && committedPageCount == loggedPageCount { return nil }
    return PageChanges(pages: gathered, pageCount: committedPageCount)
  }

  /// Records that the log has `changes`. Later commits of SQLite stay unlogged.
  package func noteLogged(_ changes: PageChanges) {
    loggedPageCount = changes.pageCount
    for (number, image) in changes.pages where gathered[number] === image { gathered[number] = nil }
  }
}
