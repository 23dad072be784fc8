// What one commit consists of.
//
// Invariants
// 1. A transaction is a value: nothing in it changes while it is written, and who made it keeps it until the log has it.
// 2. Page images are never changed after they were made, so several threads may read them.

/// The 4096 bytes of one page of the database, as a transaction holds them. They never change.
@safe package final class PageImage: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer

  /// Takes over `memory`, which was allocated for `Space.databasePageSize` bytes and is freed with this object.
  package init(adopting memory: UnsafeMutableRawBufferPointer) {
    precondition(memory.count == Space.databasePageSize)
    unsafe self.memory = memory
  }

  /// Copies a page.
  package convenience init(_ bytes: [UInt8]) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Space.databasePageSize, alignment: 16)
    unsafe memory.copyBytes(from: bytes)
    unsafe self.init(adopting: memory)
  }

  deinit { unsafe memory.deallocate() }

  /// The bytes, for as long as this object lives.
  package var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(memory) }
}

/// Pages of the database that changed, and how many pages the database has now.
package struct PageChanges: Sendable {
  /// The changed pages.
  package var pages: [PageNumber: PageImage]
  /// Pages of the database.
  package var pageCount: UInt32

  /// Sets both.
  package init(pages: [PageNumber: PageImage], pageCount: UInt32) {
    self.pages = pages
    self.pageCount = pageCount
  }
}

/// One commit of the log, all or nothing.
package struct LogTransaction: Sendable {
  /// What is new in the database; nil when it stays as it is.
  package var database: PageChanges?
  /// What becomes of the write intents that count.
  package var intents = IntentChange.none
  /// Pages of the database to be copied to the end of the log, so that the segments that they are in become free.
  package var moving: Set<PageNumber> = []
  /// Segments to be given up: as of this commit the database names no extent in them. Those that are being written, or
  /// hold pages of the database after it, are passed over.
  package var retiring: [SegmentNumber] = []

  /// A transaction that changes nothing yet.
  package init() {}

  /// A commit of the database alone.
  package init(_ database: PageChanges) { self.database = database }

  /// A commit that states writes which the database does not have yet.
  package init(stating intents: [WriteIntent]) {
    self.intents = IntentChange(bytes: WriteIntent.encode(intents), replacesOlder: false)
  }

  /// Whether there is nothing to commit.
  package var isEmpty: Bool { database == nil && intents == .none && moving.isEmpty && retiring.isEmpty }

  /// Whether the log can do without it: what it states can be committed in the database later. Such a commit never
  /// takes room from the reserve.
  var isOptional: Bool {
    database == nil && moving.isEmpty && retiring.isEmpty && intents != .none && !intents.replacesOlder
  }
}
