internal import Index
internal import Synchronization
internal import Vault

/// The pages of an index that was made anew: in memory until `goOn(in:)`, from the commit after it on in the space, where they take the place
/// of all pages of the old one.
final class RebuiltIndexStore: PageStore {
  private struct State {
    var pages: [PageNumber: [UInt8]] = [:]
    var pageCount: UInt32 = 0
    var space: Space?
  }

  private let state = Mutex(State())

  /// Pages of the database.
  var databasePageCount: UInt32 { state.withLock { $0.pageCount } }

  /// Has the next commit, and those after it, go to the space.
  func goOn(in space: Space) { state.withLock { $0.space = space } }

  /// Reads a page.
  func readPage(_ number: PageNumber, into page: UnsafeMutableRawBufferPointer) throws(VaultError) {
    guard let bytes = state.withLock({ $0.pages[number] }) else { throw .damaged("a page was never written") }
    unsafe page.copyBytes(from: bytes)
  }

  /// Keeps pages, and writes all to the space once it is known.
  func commit(pages: [(PageNumber, UnsafeRawBufferPointer)], pageCount: UInt32) throws(VaultError) {
    let copies = unsafe pages.map { unsafe ($0.0, [UInt8]($0.1)) }
    let (all, space) = state.withLock { state in
      for (number, bytes) in copies { state.pages[number] = bytes }
      state.pages = state.pages.filter { $0.key.rawValue <= pageCount }
      state.pageCount = pageCount
      return (state.pages, state.space)
    }
    guard let space else { return }
    let block = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, all.count) * Space.databasePageSize, alignment: 4096)
    defer { unsafe block.deallocate() }
    var writes: [(PageNumber, UnsafeRawBufferPointer)] = unsafe []
    for (place, page) in all.sorted(by: { $0.key < $1.key }).enumerated() {
      let start = place * Space.databasePageSize
      let memory = unsafe UnsafeMutableRawBufferPointer(rebasing: block[start..<start + Space.databasePageSize])
      unsafe memory.copyBytes(from: page.value)
      unsafe writes.append((page.key, UnsafeRawBufferPointer(memory)))
    }
    try unsafe space.commit(pages: writes, pageCount: pageCount)
  }
}
