package import Vault

/// Where the index's database is read from: numbered pages of 4096 bytes, as of the last commit of the log.
package protocol PageStore: AnyObject, Sendable {
  /// Pages of the database as of the last commit.
  var databasePageCount: UInt32 { get }

  /// Reads one committed page.
  ///
  /// - Throws: `.damaged` when it is missing or does not authenticate.
  func readPage(_ number: PageNumber, into page: UnsafeMutableRawBufferPointer) throws(VaultError)
}

extension Space: PageStore {}
