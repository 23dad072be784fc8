import Index
import Synchronization
import Vault

/// A page store in memory that keeps every committed state.
final class MemoryPageStore: PageStore {
  /// One committed state.
  struct Snapshot: Sendable {
    var pages: [PageNumber: [UInt8]] = [:]
    var pageCount: UInt32 = 0
  }

  private struct State {
    var history: [Snapshot]
    var damaged: Set<PageNumber> = []
    var lastCommitSize = 0
  }

  private let state: Mutex<State>

  /// Begins with a state that another store had.
  init(_ snapshot: Snapshot = Snapshot()) {
    state = Mutex(State(history: [snapshot]))
  }

  /// All states, the empty one at the beginning included.
  var history: [Snapshot] { state.withLock { $0.history } }
  /// Commits that were made.
  var commitCount: Int { state.withLock { $0.history.count - 1 } }
  /// Pages that the last commit brought.
  var lastCommitSize: Int { state.withLock { $0.lastCommitSize } }

  /// Makes pages unreadable.
  func damage(_ pages: Set<PageNumber>) { state.withLock { $0.damaged = pages } }

  var databasePageCount: UInt32 { state.withLock { $0.history[$0.history.count - 1].pageCount } }

  func readPage(_ number: PageNumber, into page: UnsafeMutableRawBufferPointer) throws(VaultError) {
    let bytes: [UInt8]? = state.withLock {
      if $0.damaged.contains(number) { return nil }
      return $0.history[$0.history.count - 1].pages[number]
    }
    guard let bytes, bytes.count == page.count else { throw .damaged("page \(number.rawValue)") }
    unsafe page.copyBytes(from: bytes)
  }

  /// Makes what a page file gathered the newest state, as the log does.
  func take(_ file: PageFile) {
    guard let changes = file.unlogged else { return }
    take(changes)
    file.noteLogged(changes)
  }

  /// The same for the page file of an index.
  func take(_ index: Index) {
    guard let changes = index.unlogged else { return }
    take(changes)
    index.noteLogged(changes)
  }

  private func take(_ changes: PageChanges) {
    let copies = changes.pages.mapValues { unsafe [UInt8]($0.bytes) }
    state.withLock { state in
      var next = state.history[state.history.count - 1]
      next.pages.merge(copies) { $1 }
      next.pages = next.pages.filter { $0.key.rawValue <= changes.pageCount }
      next.pageCount = changes.pageCount
      state.history.append(next)
      state.lastCommitSize = copies.count
    }
  }
}

extension Index {
  /// Commits, and has the store take what was committed.
  func commit(to store: MemoryPageStore) throws(IndexError) {
    try commit()
    store.take(self)
  }
}

extension MemoryPageStore.Snapshot {
  /// Whether every page up to the size is there, and none beyond it.
  var isComplete: Bool {
    pages.count == Int(pageCount) && pages.keys.allSatisfy { (1...pageCount).contains($0.rawValue) }
      && pages.values.allSatisfy { $0.count == Space.databasePageSize }
  }
}
