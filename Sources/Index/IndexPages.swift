// The pages of an index as of a moment, whether the log has them yet or not.
//
// Invariants
// 1. They do not change. Pages that the log lacked at that moment are in memory, and take precedence. A snapshot of the
//    log has the rest; of the pages in memory it has the same or an older content.
// 2. When the snapshot ends, the pages end too, even if all needed pages are in memory.

internal import Synchronization
package import Vault

/// The pages of an index as of a moment. Safe from any thread.
package final class IndexPages: PageStore {
  private let snapshot: SpaceSnapshot
  /// The pages that the log lacked; nil when it lacked none, or when the pages have ended.
  private let unlogged: Mutex<PageChanges?>

  /// The number of pages of the database.
  package let databasePageCount: UInt32

  /// Takes a snapshot that has begun, and the changes that the log lacked at the same moment: nothing was noted as
  /// logged between the two.
  package init(_ snapshot: SpaceSnapshot, unlogged changes: PageChanges?) {
    self.snapshot = snapshot
    databasePageCount = changes?.pageCount ?? snapshot.databasePageCount
    unlogged = Mutex(changes)
  }

  /// Whether they have ended, so that every read throws.
  package var hasEnded: Bool { snapshot.hasEnded }

  /// Ends the pages, and frees their memory. Waits for a page that another thread is reading.
  package func end() {
    snapshot.end()
    unlogged.withLock { $0 = nil }
  }

  /// Reads one page.
  ///
  /// - Throws: `.damaged` when it is missing or does not authenticate; `.snapshotEnded`.
  package func readPage(_ number: PageNumber, into page: UnsafeMutableRawBufferPointer) throws(VaultError) {
    if let image = unlogged.withLock({ $0?.pages[number] }) {
      unsafe page.copyMemory(from: image.bytes)
    } else {
      try unsafe snapshot.readPage(number, into: page)
    }
  }
}
