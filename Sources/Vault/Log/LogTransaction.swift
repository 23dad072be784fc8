// The content of one commit.
//
// Invariants
// 1. A transaction is a value. It does not change while it is written, and the caller keeps it until the log has it.
// 2. Page images never change, so several threads may read them.

/// The 4096 bytes of one page of the database. They never change.
@safe package final class PageImage: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer

  /// Takes ownership of `memory`, of `Space.databasePageSize` bytes.
  package init(adopting memory: UnsafeMutableRawBufferPointer) {
    precondition(memory.count == Space.databasePageSize)
    unsafe self.memory = memory
  }

  /// Copies a page.
  package convenience init(copying bytes: UnsafeRawBufferPointer) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Space.databasePageSize, alignment: 16)
    unsafe memory.copyMemory(from: bytes)
    unsafe self.init(adopting: memory)
  }

  /// Copies a page.
  package convenience init(_ bytes: [UInt8]) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Space.databasePageSize, alignment: 16)
    unsafe memory.copyBytes(from: bytes)
    unsafe self.init(adopting: memory)
  }

  deinit { unsafe memory.deallocate() }

  /// The bytes. They are valid as long as this object.
  package var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(memory) }
}

/// The changed pages of the database, and its new number of pages.
package struct PageChanges: Sendable {
  /// The changed pages.
  package var pages: [PageNumber: PageImage]
  /// The number of pages of the database.
  package var pageCount: UInt32

  /// Sets both.
  package init(pages: [PageNumber: PageImage], pageCount: UInt32) {
    self.pages = pages
    self.pageCount = pageCount
  }
}

/// One commit of the log, all or nothing.
package struct LogTransaction: Sendable {
  /// The changes of the database; nil when there are none.
  package var database: PageChanges?
  /// The change of the pending write intents.
  package var intents = IntentChange.none
  /// Pages of the database to copy to the end of the log, so that their segments become free.
  package var moving: Set<PageNumber> = []
  /// Segments to retire: as of this commit the database names no extent in them. The commit skips those that are open
  /// or still hold pages of the database.
  package var retiring: [SegmentNumber] = []
  /// Whether the space is closed with it.
  var isLast = false

  /// A transaction that changes nothing yet.
  package init() {}

  /// A commit of the database alone.
  package init(_ database: PageChanges) { self.database = database }

  /// A commit that states writes before the database contains them.
  package init(stating intents: [WriteIntent]) {
    self.intents = IntentChange(bytes: WriteIntent.encode(intents), replacesOlder: false)
  }

  /// Whether it has more than write intents.
  package var hasMoreThanIntents: Bool { database != nil || !moving.isEmpty || !retiring.isEmpty }

  /// Whether the caller can commit the same content in the database later. Such a commit never takes room from the
  /// reserve.
  var isOptional: Bool { !hasMoreThanIntents && intents != .none && !intents.replacesOlder }
}
