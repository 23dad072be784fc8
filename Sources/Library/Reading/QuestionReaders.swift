// The indexes that questions read, each of the pages of a moment.
//
// Invariants
// 1. At most `most` are read at once: each has a cache of 2 MiB. Others wait in no order, without a lock of the file system.
// 2. One that is not read is kept for the next question while nothing has changed, `mostIdle` of them.
// 3. Pages of at most `mostStates` states are in memory, however many answers stopped in the middle and are to go on with
//    theirs. The oldest state ends when there is another one.

internal import Albums
internal import Index
internal import System
internal import SystemPackage

/// Lends indexes to questions.
final class QuestionReaders: @unchecked Sendable {
  /// Indexes that are read at once.
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
  /// The states whose pages may be in memory, the newest last.
  private var states: [State] = []

  init() { isFree = Condition(of: lock) }

  /// The pages of the newest state, if it is the one of this commit of the index and has not ended.
  func pages(of revision: UInt64) -> IndexPages? {
    lock.withLock {
      guard let newest = states.last, newest.revision == revision, let pages = newest.pages, !pages.hasEnded else {
        return nil
      }
      return pages
    }
  }

  /// Notes the state of a moment. What was kept of older ones goes. To be called without the lock of the file system.
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
    // Closed here, and not with the lock held.
    old.removeAll()
  }

  /// Calls `body` with the index of some pages. Waits until fewer than `most` are read. `body` asks for no other one.
  ///
  /// - Throws: `ECANCELED` when the pages have ended, `EIO`; the errors of `body`.
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

  /// Closes those that are not read.
  func closeIdle() {
    var old: [Idle] = []
    lock.withLock { swap(&old, &idle) }
    old.removeAll()
  }

  private static func open(_ pages: IndexPages) throws(Errno) -> Index {
    do throws(IndexError) { return try Index(reading: pages) } catch { throw Errno(error) }
  }

  /// Waits for its turn; gives an index that was read before, if there is one.
  private func take(_ pages: IndexPages) -> Index? {
    lock.lock()
    defer { lock.unlock() }
    while busy >= Self.most { isFree.wait() }
    busy += 1
    guard let place = idle.lastIndex(where: { $0.pages === pages }) else { return nil }
    return idle.remove(at: place).index
  }

  private func giveBack(_ index: Index?, of pages: IndexPages) {
    // One that is one too many is closed when the lock was given back.
    _ = lock.withLock { () -> Idle? in
      busy -= 1
      isFree.signal()
      guard let index, !pages.hasEnded, states.last?.pages === pages else { return nil }
      idle.append(Idle(pages: pages, index: index))
      return idle.count > Self.mostIdle ? idle.removeFirst() : nil
    }
  }
}
