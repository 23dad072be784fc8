// A state that is being read, and the end of that.
//
// Invariants
// 1. It ends once. Reads that begin afterwards are refused, and those under way can be waited for: each is of one page.
// 2. `end()` comes before a segment goes that the state needs. So a read that failed because of that finds that the state
//    has ended when it ends itself.

internal import System

/// A committed state that a snapshot reads. Safe from any thread.
final class PinnedState: @unchecked Sendable {
  let state: CommittedState

  /// Guards what follows. A leaf: nothing else is locked while it is held.
  private let lock = Lock()
  /// Signalled when the last read has ended.
  private let isQuiet: Condition
  private var isEnded = false
  private var reads = 0

  init(_ state: CommittedState) {
    self.state = state
    isQuiet = Condition(of: lock)
  }

  /// Whether it has ended.
  var hasEnded: Bool { lock.withLock { isEnded } }

  /// Begins a read; false when the state has ended.
  func beginReading() -> Bool {
    lock.withLock {
      if isEnded { return false }
      reads += 1
      return true
    }
  }

  /// Ends a read; whether the state has ended meanwhile.
  func endReading() -> Bool {
    lock.withLock {
      reads -= 1
      if reads == 0, isEnded { isQuiet.broadcast() }
      return isEnded
    }
  }

  /// Refuses reads from now on.
  func end() { lock.withLock { isEnded = true } }

  /// Waits for the reads that are under way. To be called after `end()`.
  func waitForReads() {
    lock.withLock { while reads > 0 { isQuiet.wait() } }
  }
}
