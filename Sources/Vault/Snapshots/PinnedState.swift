// A state that snapshots read, and how it ends.
//
// Invariants
// 1. It ends once. Later reads are refused, and a caller can wait for the reads in progress, each of which reads one
//    page.
// 2. `end()` is called before a segment that the state needs is deleted. So if a read fails because of the deletion, it
//    finds at its own end that the state has ended.

internal import System

/// A committed state that a snapshot reads. Safe from any thread.
final class PinnedState: @unchecked Sendable {
  let state: CommittedState

  /// Guards the following properties. A leaf: no other lock is taken while it is held.
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

  /// Ends a read; returns whether the state has ended since the read began.
  func endReading() -> Bool {
    lock.withLock {
      reads -= 1
      if reads == 0, isEnded { isQuiet.broadcast() }
      return isEnded
    }
  }

  /// Refuses reads from now on.
  func end() { lock.withLock { isEnded = true } }

  /// Waits for the reads in progress. Call it after `end()`.
  func waitForReads() {
    lock.withLock { while reads > 0 { isQuiet.wait() } }
  }
}
