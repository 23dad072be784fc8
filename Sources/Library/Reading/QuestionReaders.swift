// The indexes that questions read, each over the pages of a moment.
//
// Invariants
// 1. At most `most` indexes are in use at once. Other questions wait in no particular order, without a lock of the file
//    system.
// 2. Up to `mostIdle` unused indexes are kept for the next question, as long as nothing has changed.
// 3. At most one index, busy or idle, has the large cache: one that was lent while no other was. The others have the
//    small cache, also one that was lent alone before. So memory is bounded while many questions run.
// 4. The pages of at most `mostStates` states are in memory, however many unfinished answers still need theirs. When
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
  /// Bytes of the large cache: it holds what counts, groups and questions with words read of 100,000 photos. With less,
  /// each question would read and decrypt these pages again.
  private static let largeCache = 16 << 20
  private static let smallCache = 1 << 20

  private struct Idle {
    let pages: IndexPages
    let index: Index
    /// Whether the index has the large cache.
    let isLarge: Bool
  }

  private struct State {
    let revision: UInt64
    weak var pages: IndexPages?
  }

  private let lock = Lock()
  private let isFree: Condition
  // Guarded by the lock.
  private var busy = 0
  /// Whether an index has the large cache, or is being opened with it.
  private var isLargeTaken = false
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
      if old.contains(where: \.isLarge) { isLargeTaken = false }
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
    let turn = take(pages)
    var index = turn.index
    defer { giveBack(index, isLarge: turn.isLarge, of: pages) }
    if pages.hasEnded { throw .canceled }
    let opened = try Self.open(pages, turn)
    index = opened
    return try body(opened)
  }

  /// Closes the idle indexes.
  func closeIdle() {
    var old: [Idle] = []
    lock.withLock {
      swap(&old, &idle)
      if old.contains(where: \.isLarge) { isLargeTaken = false }
    }
    old.removeAll()
  }

  /// An index that a question may use.
  private struct Turn {
    /// An idle index of the pages; nil if one must be opened.
    var index: Index?
    /// Whether it has the large cache now.
    var wasLarge = false
    /// Whether it gets, or keeps, the large cache.
    var isLarge: Bool
  }

  private static func open(_ pages: IndexPages, _ turn: Turn) throws(Errno) -> Index {
    let cache = turn.isLarge ? largeCache : smallCache
    do throws(IndexError) {
      guard let index = turn.index else { return try Index(reading: pages, cache: cache) }
      if turn.isLarge != turn.wasLarge { try index.resizeCache(to: cache) }
      return index
    } catch {
      throw Errno(error)
    }
  }

  /// Waits for a turn.
  private func take(_ pages: IndexPages) -> Turn {
    lock.lock()
    defer { lock.unlock() }
    while busy >= Self.most { isFree.wait() }
    busy += 1
    let places = idle.indices.filter { idle[$0].pages === pages }
    let place = places.first { idle[$0].isLarge } ?? places.last
    let known = place.map { idle.remove(at: $0) }
    var turn = Turn(index: known?.index, wasLarge: known?.isLarge ?? false, isLarge: false)
    if turn.wasLarge { isLargeTaken = false }
    turn.isLarge = busy == 1 && !isLargeTaken
    if turn.isLarge { isLargeTaken = true }
    return turn
  }

  private func giveBack(_ index: Index?, isLarge: Bool, of pages: IndexPages) {
    // An index beyond `mostIdle` is closed after the lock was released.
    _ = lock.withLock { () -> Idle? in
      busy -= 1
      isFree.signal()
      guard let index, !pages.hasEnded, states.last?.pages === pages else {
        if isLarge { isLargeTaken = false }
        return nil
      }
      idle.append(Idle(pages: pages, index: index, isLarge: isLarge))
      guard idle.count > Self.mostIdle, let place = idle.firstIndex(where: { !$0.isLarge }) else { return nil }
      return idle.remove(at: place)
    }
  }
}
