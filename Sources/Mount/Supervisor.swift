internal import Albums
internal import Logging
internal import System

enum SessionEnd {
  /// The mount has left its place, or a signal asks for the end. The connection may still be open.
  case asked
  /// The connection was aborted, as `umount -f` does, and the mount is still in its place.
  case aborted
  /// The kernel has closed the connection, because no process has the mount any more.
  case gone
}

/// Waits for the end of a session.
struct Supervisor {
  private let volume: Volume
  private let mounts: OwnMounts
  private let events: SessionEvents
  private var idle: IdleWatch?
  /// The last known state.
  private var standing: OwnMounts.Standing
  /// Whether the mount has left its place, but its open files may end first.
  private var isLingering = false

  /// How often to check a lingering mount.
  private static let tick = Duration.milliseconds(250)

  init(_ volume: Volume, mounts: OwnMounts, events: SessionEvents, idle: Duration?) {
    self.volume = volume
    self.mounts = mounts
    standing = mounts.first
    self.events = events
    self.idle = idle.map { IdleWatch(limit: $0) }
  }

  /// Returns when the session must end.
  mutating func waitForEnd() -> SessionEnd {
    while true {
      switch events.wait(until: nextLook) {
      case .disconnected:
        // A later mount may have this device number by now, and the table may have changed in the same moment. Only a
        // mount of the same vault at the same place would be taken for this one.
        guard case .mounted(let entries) = standing else { return .gone }
        return mounts.entries == entries ? .aborted : .gone
      case .signal: return .asked
      case .mountsChanged:
        let now = mounts.standing
        // The connection was closed in the same moment: that event comes next, and the previous state decides.
        if now == .unknown { continue }
        standing = now
        guard standing == .left, !isLingering else { continue }
        guard volume.expectsLazyUnmount else { return .asked }
        volume.logger.notice("Unmounted; the space stays open until no program uses its files.")
        isLingering = true
      case .timeout:
        if isLingering {
          if isUnused { return .asked }
        } else {
          unmountIfIdle()
        }
      }
    }
  }

  private var nextLook: UInt64? {
    if isLingering { return monotonicTime() + Self.tick.nanoseconds }
    guard let idle else { return nil }
    // Limited to times that the clock can express.
    return UInt64(clamping: min(idle.next(lastUse: volume.lastUse), 1 << 33)) * 1_000_000_000
  }

  /// Whether no file is open and no request came for at least a second. A program that copies many files has moments
  /// without an open file. A process that only has its working directory there does not keep the space open.
  private var isUnused: Bool {
    volume.openFileCount == 0 && monotonicSeconds() - volume.lastUse >= 2
  }

  private mutating func unmountIfIdle() {
    let now = monotonicSeconds()
    let lastUse = volume.lastUse
    guard idle?.isDue(now: now, lastUse: lastUse, openFiles: volume.openFileCount) == true else { return }
    if mounts.unmount() { volume.logger.notice("Unmounted, because the space was idle.") }
    // The mount is in use without requests, or it is about to end.
    idle?.postpone(now: now)
  }
}
