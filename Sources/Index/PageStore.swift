package import Vault

/// What the index's database is kept in: numbered pages of 4096 bytes that change together, commit by commit.
package protocol PageStore: AnyObject, Sendable {
  /// Pages of the database as of the last commit.
  var databasePageCount: UInt32 { get }

  /// Reads one committed page.
  ///
  /// - Throws: `.damaged` when it is missing or does not authenticate.
  func readPage(_ number: PageNumber, into page: UnsafeMutableRawBufferPointer) throws(VaultError)

  /// Makes `pages` and the size `pageCount` the committed state, all or nothing. The pages are only lent.
  func commit(pages: [(PageNumber, UnsafeRawBufferPointer)], pageCount: UInt32) throws(VaultError)
}

extension Space: PageStore {}
