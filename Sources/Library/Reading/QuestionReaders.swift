// The indexes that questions read, each over the pages of a moment.
//
// Invariants
// 1. At most `most` indexes are in use at once, each with a cache of 2 MiB. Other questions wait in no particular
//    order, without a lock of the file system.
// 2. Up to `mostIdle` unused indexes are kept for the next question, as long as nothing has changed.
// 3. The pages of at most `mostStates` states are in memory, however many unfinished answers still need theirs. When
//    another state comes, the oldest one ends.

internal import Albums
internal import Index
internal import System
internal import SystemPackage

/// Lends indexes to questions.
final class QuestionReaders: @unchecked Sendable {
  /// Indexes that are in use at once.
  static let most = 4
  private static let mostIdle = 2
  private static let mostStates = 8

  private struct Idle {
    let pages: IndexPages
    let index: Index
  }

  private struct State {
    let revision: UInt64
    weak var pages: IndexPages?
  }

  private let lock = Lock()
  private let isFree: Condition
  // Guarded by the lock.
  private var busy = 0
  private var idle: [Idle] = []
  /// The states whose pages may be in memory, newest last.
  private var states: [State] = []

  init() { isFree = Condition(of: lock) }

  /// The pages of the newest state, if it is of this commit of the index and has not ended.
  func pages(of revision: UInt64) -> IndexPages? {
    lock.withLock {
      guard let newest = states.last, newest.revision == revision, let pages = newest.pages, !pages.hasEnded else {
        return nil
      }
      return pages
    }
  }

  /// Records the state of a moment and drops idle indexes of older ones. Call it without the lock of the file system.
  func note(_ moment: FilesMoment) {
    var old: [Idle] = []
    var ended: [IndexPages] = []
    lock.withLock {
      if states.last?.pages === moment.pages { return }
      states.removeAll { $0.pages == nil || $0.pages === moment.pages }
      states.append(State(revision: moment.revision, pages: moment.pages))
      while states.count > Self.mostStates {
        if let pages = states.removeFirst().pages { ended.append(pages) }
      }
      old = idle.filter { $0.pages !== moment.pages }
      idle.removeAll { $0.pages !== moment.pages }
    }
    for pages in ended { pages.end() }
    // Closed here, without the lock.
    old.removeAll()
  }

  /// Calls `body` with an index over some pages. Waits until fewer than `most` are in use. `body` must not ask for
  /// another index.
  ///
  /// - Throws: `ECANCELED` if the pages have ended, `EIO`; the errors of `body`.
  func withIndex<Result>(
    of pages: IndexPages, _ body: (Index) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    Waiting.assertAllowed()
    let known = take(pages)
    var index: Index?
    defer { giveBack(index, of: pages) }
    if pages.hasEnded { throw .canceled }
    let opened = if let known { known } else { try Self.open(pages) }
    index = opened
    return try body(opened)
  }

  /// Closes the idle indexes.
  func closeIdle() {
    var old: [Idle] = []
    lock.withLock { swap(&old, &idle) }
    old.removeAll()
  }

  private static func open(_ pages: IndexPages) throws(Errno) -> Index {
    do throws(IndexError) { return try Index(reading: pages) } catch { throw Errno(error) }
  }

  /// Waits for its turn; returns an idle index of these pages, if there is one.
  private func take(_ pages: IndexPages) -> Index? {
    lock.lock()
    defer { lock.unlock() }
    while busy >= Self.most { isFree.wait() }
    busy += 1
    guard let place = idle.lastIndex(where: { $0.pages === pages }) else { return nil }
    return idle.remove(at: place).index
  }

  private func giveBack(_ index: Index?, of pages: IndexPages) {
    // An index beyond `mostIdle` is closed after the lock was released.
    _ = lock.withLock { () -> Idle? in
      busy -= 1
      isFree.signal()
      guard let index, !pages.hasEnded, states.last?.pages === pages else { return nil }
      idle.append(Idle(pages: pages, index: index))
      return idle.count > Self.mostIdle ? idle.removeFirst() : nil
    }
  }
}
