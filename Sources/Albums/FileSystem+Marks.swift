internal import System
internal import Vault

/// Marks: how far the space has come, for the record that detects a rollback.
extension LockedFileSystem {
  /// Nanoseconds from one mark to the next.
  private static let markInterval: UInt64 = 30_000_000_000

  /// The work of the thread that has marks kept.
  mutating func runMarker(_ keepMark: @Sendable (StateMark) -> Void) {
    var told = commits.logged
    var next: UInt64 = 0
    while !life.isStopping, refusal == nil {
      if commits.logged == told {
        commits.isMarkerWaiting = true
        wait(for: signals.markWork)
        commits.isMarkerWaiting = false
      } else if monotonicTime() < next {
        wait(for: signals.markWork, until: next)
      } else {
        told = commits.logged
        unlocked { files in
          // The next sync or commit reports a failure.
          if let mark = try? files.space.durableMark() { keepMark(mark) }
        }
        next = monotonicTime() + Self.markInterval
      }
    }
  }

  /// Counts a commit or a statement of intents, and wakes the thread that keeps marks if it waits for one.
  func noteLogged() {
    commits.noteLogged()
    if commits.isMarkerWaiting { signals.markWork.signal() }
  }
}
