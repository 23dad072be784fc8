internal import System
internal import Vault

/// Telling how far the space has come to whoever keeps that.
extension LockedFileSystem {
  /// Nanoseconds from one mark to the next.
  private static let markInterval: UInt64 = 30_000_000_000

  /// The work of the thread that tells.
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
          // When it fails, whoever syncs or commits next is told why.
          if let mark = try? files.space.durableMark() { keepMark(mark) }
        }
        next = monotonicTime() + Self.markInterval
      }
    }
  }

  /// Counts a commit or a statement of intents, and wakes that thread if it waits for one.
  func noteLogged() {
    commits.noteLogged()
    if commits.isMarkerWaiting { signals.markWork.signal() }
  }
}
