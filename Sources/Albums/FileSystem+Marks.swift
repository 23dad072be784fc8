internal import System
internal import Vault

/// Telling how far the space has come to whoever keeps that.
extension FileSystem {
  /// Nanoseconds from one mark to the next.
  private static let markInterval: UInt64 = 30_000_000_000

  /// The work of the thread that tells.
  func runMarker(_ keepMark: @Sendable (StateMark) -> Void) {
    monitor.lock()
    var told = commits.logged
    var next: UInt64 = 0
    while !life.isStopping, refusal == nil {
      if commits.logged == told {
        commits.isAwaited = true
        signals.markWork.wait()
        commits.isAwaited = false
      } else if monotonicTime() < next {
        signals.markWork.wait(until: next)
      } else {
        told = commits.logged
        monitor.unlock()
        // When it fails, whoever syncs or commits next is told why.
        if let mark = try? space.durableMark() { keepMark(mark) }
        next = monotonicTime() + Self.markInterval
        monitor.lock()
      }
    }
    monitor.unlock()
  }

  /// Wakes that thread after a commit, if it waits for one. Lock held.
  func noteCommit() {
    if commits.isAwaited { signals.markWork.signal() }
  }
}
