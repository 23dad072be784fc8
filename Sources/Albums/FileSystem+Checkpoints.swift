internal import System
internal import Vault

/// Checkpoint records: how far the space has come. A later mount detects a rollback by them.
extension LockedFileSystem {
  /// Nanoseconds between two records.
  private static let checkpointInterval: UInt64 = 30_000_000_000

  /// The work of the thread that keeps checkpoint records.
  mutating func runCheckpointKeeper(_ keepCheckpoint: @Sendable (CheckpointRecord) -> Void) {
    var told = commits.logged
    var next: UInt64 = 0
    while !life.isStopping, refusal == nil {
      if commits.logged == told {
        commits.isCheckpointKeeperWaiting = true
        wait(for: .checkpointWork)
        commits.isCheckpointKeeperWaiting = false
      } else if monotonicTime() < next {
        wait(for: .checkpointWork, until: next)
      } else {
        told = commits.logged
        unlocked { files in
          // The next sync or commit reports a failure.
          if let checkpoint = try? files.space.durableCheckpoint() { keepCheckpoint(checkpoint) }
        }
        next = monotonicTime() + Self.checkpointInterval
      }
    }
  }

  /// Counts a commit or a statement of intents, and wakes the thread that keeps checkpoint records.
  func noteLogged() {
    commits.noteLogged()
    if commits.isCheckpointKeeperWaiting { signals[.checkpointWork].signal() }
  }
}
