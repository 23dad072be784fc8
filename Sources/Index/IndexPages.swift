// The pages of an index as of a moment, whether the log has them yet or not.
//
// Invariants
// 1. They do not change. What the log lacked of them then is in memory, and counts; a snapshot of the log has the rest, or
//    the same or an older content of what is in memory.
// 2. A snapshot that ends ends them, also where all that is missing would be in memory.

internal import Synchronization
package import Vault

/// The pages of an index as of a moment. Safe from any thread.
package final class IndexPages: PageStore {
  private let snapshot: SpaceSnapshot
  /// What the log lacked; nil when there was nothing, or when the pages have ended.
  private let unlogged: Mutex<PageChanges?>

  /// The number of pages of the database.
  package let databasePageCount: UInt32

  /// Takes a snapshot that was begun, and the changes that the log lacked, at the same moment: nothing was noted as logged
  /// between the two.
  package init(_ snapshot: SpaceSnapshot, unlogged changes: PageChanges?) {
    self.snapshot = snapshot
    databasePageCount = changes?.pageCount ?? snapshot.databasePageCount
    unlogged = Mutex(changes)
  }

  /// Whether they have ended, so that every read throws.
  package var hasEnded: Bool { snapshot.hasEnded }

  /// Ends them, and gives their memory back. Waits for a page that another thread reads.
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
