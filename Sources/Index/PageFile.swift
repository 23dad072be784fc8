// The one file that our VFS knows: SQLite's database, kept as numbered pages in a page store.
//
// Invariants
// 1. SQLite reads what it last wrote: pages that were written since the last commit are looked for before the store is asked.
// 2. SQLite's commit, which it tells by SQLITE_FCNTL_SYNC, gathers every page of the transaction and the size together
//    (`unlogged`). The file system has the log commit them; until then they are read from memory. The size stands in
//    page 1, which is part of any commit that changes it; SQLite truncates only afterwards.
// 3. Each page up to the size is gathered or in the store. SQLite leaves out pages that it frees in the transaction that
//    made them, and the page at 1 GiB that it keeps for locks: those are gathered as zeros.

internal import Glibc
package import Vault

/// Numbers that show whether SQLite asked for something that must not happen.
package struct PageFileCounters: Equatable, Sendable {
  /// Journals and temporary files that were refused.
  package var refusedOpens = 0
  /// Reads and writes that were not whole pages where they have to be.
  package var unalignedAccesses = 0
  /// Writes of the page that SQLite keeps for locks.
  package var lockPageWrites = 0
  /// Nothing counted.
  package init() {}
}

/// SQLite's database file over a page store.
@safe package final class PageFile {
  static let pageSize = Space.databasePageSize
  /// The page at 1 GiB.
  static let lockPage: UInt32 = 0x4000_0000 / UInt32(pageSize) + 1

  private let store: any PageStore
  /// Pages written since SQLite's last commit.
  private var pending: [UInt32: UnsafeMutableRawBufferPointer] = unsafe [:]
  /// Pages that SQLite committed and the log has not.
  private var gathered: [PageNumber: PageImage] = [:]
  /// Pages now, as of SQLite's last commit, and as of the log's.
  private var pageCount: UInt32
  private var committedPageCount: UInt32
  private var loggedPageCount: UInt32

  /// What the store said when it failed last.
  package private(set) var lastError: VaultError?
  /// What must stay zero.
  package var counters = PageFileCounters()

  /// Shows the last committed state of `store`.
  package init(_ store: any PageStore) {
    self.store = store
    pageCount = store.databasePageCount
    committedPageCount = pageCount
    loggedPageCount = pageCount
  }

  deinit { unsafe pending.values.forEach { unsafe $0.deallocate() } }

  /// Bytes in the file.
  var size: Int64 { Int64(pageCount) * Int64(Self.pageSize) }

  /// What a read found.
  enum ReadResult { case whole, beyondEnd, failed }

  /// Fills `buffer` from `offset` on. Only the two looks at the header that SQLite takes are less than a page.
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
    if number != 1 { counters.unalignedAccesses += 1 }
    return unsafe withUnsafeTemporaryAllocation(byteCount: Self.pageSize, alignment: 16) { page in
      guard unsafe readPage(number, into: page) else { return .failed }
      unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: page[start..<start + buffer.count]))
      return .whole
    }
  }

  private func readPage(_ number: UInt32, into page: UnsafeMutableRawBufferPointer) -> Bool {
    if let written = unsafe pending[number] {
      unsafe page.copyMemory(from: UnsafeRawBufferPointer(written))
      return true
    }
    if let image = gathered[PageNumber(rawValue: number)] {
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
      return false
    }
  }

  /// Takes a page into the open transaction; false when it is not a page.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
    guard offset >= 0, bytes.count == Self.pageSize, offset % Int64(Self.pageSize) == 0,
      offset / Int64(Self.pageSize) < Int64(UInt32.max)
    else {
      counters.unalignedAccesses += 1
      return false
    }
    let number = UInt32(offset / Int64(Self.pageSize)) + 1
    if number == Self.lockPage { counters.lockPageWrites += 1 }
    let buffer = unsafe pending[number] ?? Self.allocate()
    unsafe buffer.copyMemory(from: bytes)
    unsafe pending[number] = buffer
    pageCount = max(pageCount, number)
    return true
  }

  /// Sets the size.
  func truncate(to size: Int64) {
    setPageCount(UInt32(clamping: size / Int64(Self.pageSize)))
  }

  private func setPageCount(_ count: UInt32) {
    if count < pageCount {
      let beyond = unsafe pending.keys.filter { $0 > count }
      for number in beyond {
        unsafe pending.removeValue(forKey: number)?.deallocate()
      }
    }
    pageCount = count
  }

  /// Gathers what was written since SQLite's last commit (invariant 2).
  func gather() {
    if let header = unsafe pending[1] {
      let count = unsafe UInt32(bigEndian: header.loadUnaligned(fromByteOffset: 28, as: UInt32.self))
      if count != 0 { setPageCount(count) }
    }
    if pageCount > committedPageCount {
      for number in committedPageCount + 1...pageCount where unsafe pending[number] == nil {
        let buffer = unsafe Self.allocate()
        unsafe _ = buffer.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe pending[number] = buffer
      }
    }
    if pageCount < committedPageCount { gathered = gathered.filter { $0.key.rawValue <= pageCount } }
    unsafe pending.forEach { number, buffer in
      gathered[PageNumber(rawValue: number)] = unsafe PageImage(adopting: buffer)
    }
    unsafe pending.removeAll()
    committedPageCount = pageCount
  }

  /// What SQLite committed and the log has not; nil when the log has everything.
  package var unlogged: PageChanges? {
    if gathered.isEmpty && committedPageCount == loggedPageCount { return nil }
    return PageChanges(pages: gathered, pageCount: committedPageCount)
  }

  /// Notes that the log has `changes`. What SQLite committed meanwhile stays to be logged.
  package func noteLogged(_ changes: PageChanges) {
    loggedPageCount = changes.pageCount
    for (number, image) in changes.pages where gathered[number] === image { gathered[number] = nil }
  }

  private static func allocate() -> UnsafeMutableRawBufferPointer {
    .allocate(byteCount: pageSize, alignment: 16)
  }
}
