import Index
import Synchronization
import Vault

/// A page store in memory that keeps every committed state, and fails on demand.
final class MemoryPageStore: PageStore {
  /// One committed state.
  struct Snapshot: Sendable {
    var pages: [PageNumber: [UInt8]] = [:]
    var pageCount: UInt32 = 0
  }

  private struct State {
    var history: [Snapshot]
    /// Commits that still succeed before one fails.
    var commitsBeforeFailure = Int.max
    var failure = VaultError.readOnly("the test said so")
    var damaged: Set<PageNumber> = []
    var reads = 0
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

  /// Lets `count` more commits succeed and then one fail, and all after it.
  func failCommits(after count: Int, with failure: VaultError = .readOnly("the test said so")) {
    state.withLock {
      $0.commitsBeforeFailure = count
      $0.failure = failure
    }
  }

  /// Makes pages unreadable.
  func damage(_ pages: Set<PageNumber>) {
    state.withLock { $0.damaged = pages }
  }

  var databasePageCount: UInt32 { state.withLock { $0.history[$0.history.count - 1].pageCount } }

  func readPage(_ number: PageNumber, into page: UnsafeMutableRawBufferPointer) throws(VaultError) {
    let bytes: [UInt8]? = state.withLock {
      $0.reads += 1
      if $0.damaged.contains(number) { return nil }
      return $0.history[$0.history.count - 1].pages[number]
    }
    guard let bytes, bytes.count == page.count else { throw .damaged("page \(number.rawValue)") }
    unsafe page.copyBytes(from: bytes)
  }

  func commit(pages: [(PageNumber, UnsafeRawBufferPointer)], pageCount: UInt32) throws(VaultError) {
    let copies = unsafe pages.map { unsafe ($0.0, [UInt8]($0.1)) }
    let failure: VaultError? = state.withLock { state in
      guard state.commitsBeforeFailure > 0 else { return state.failure }
      if state.commitsBeforeFailure != .max { state.commitsBeforeFailure -= 1 }
      var next = state.history[state.history.count - 1]
      for (number, bytes) in copies { next.pages[number] = bytes }
      next.pages = next.pages.filter { $0.key.rawValue <= pageCount }
      next.pageCount = pageCount
      state.history.append(next)
      state.lastCommitSize = copies.count
      return nil
    }
    if let failure { throw failure }
  }
}

extension MemoryPageStore.Snapshot {
  /// Whether every page up to the size is there, and none beyond it.
  var isComplete: Bool {
    pages.count == Int(pageCount) && pages.keys.allSatisfy { (1...pageCount).contains($0.rawValue) }
      && pages.values.allSatisfy { $0.count == Space.databasePageSize }
  }
}
