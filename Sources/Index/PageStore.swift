package import Vault

/// The source of the index's database: numbered pages of 4096 bytes, as of the last commit of the log, the commit of a
/// snapshot, or a moment between two commits (IndexPages.swift).
package protocol PageStore: AnyObject, Sendable {
  /// The number of pages of the database as of that commit.
  var databasePageCount: UInt32 { get }

  /// The most pages that the database may have.
  var mostPages: UInt32 { get }

  /// Reads one committed page.
  ///
  /// - Throws: `.damaged` when it is missing or does not authenticate; `.snapshotEnded`.
  func readPage(_ number: PageNumber, into page: UnsafeMutableRawBufferPointer) throws(VaultError)
}

extension Space: PageStore {}

extension SpaceSnapshot: PageStore {}

extension PageStore {
  /// The limit of SQLite.
  package var mostPages: UInt32 { .max - 1 }
}
