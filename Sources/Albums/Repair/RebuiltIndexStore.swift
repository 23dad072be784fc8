internal import Index
internal import Synchronization
internal import Vault

/// The store of a rebuilt index. It has no page until `goOn(in:)`: the index keeps what it commits in memory until the
/// log of a space has it, where it replaces all pages of the old one.
final class RebuiltIndexStore: PageStore {
  private let space = Mutex<Space?>(nil)

  var databasePageCount: UInt32 { 0 }

  /// Reads pages from the space from now on; its log has them.
  func goOn(in space: Space) { self.space.withLock { $0 = space } }

  func readPage(_ number: PageNumber, into page: UnsafeMutableRawBufferPointer) throws(VaultError) {
    guard let space = space.withLock({ $0 }) else { throw .damaged("a page was never written") }
    try unsafe space.readPage(number, into: page)
  }
}
