internal import Albums
internal import Logging
internal import System

/// How a session comes to its end.
enum SessionEnd {
  /// The mount has left its place, or a signal asked for the end. The connection is open, for all that is known.
  case asked
  /// Somebody closed the connection (`umount -f` does), and the mount is still in its place.
  case aborted
  /// The kernel has closed the connection, since nobody has the mount any more.
  case gone
}

/// Waits until a session is to end, whoever wants that.
struct Supervisor {
  private let volume: Volume
  private let mounts: OwnMounts
  private let events: SessionEvents
  private var idle: IdleWatch?
  /// Where the mount was when the table of mounts was read last.
  private var standing = OwnMounts.Standing.unknown
  /// Whether the mount has left its place, and open files are let end first.
  private var isLingering = false

  /// How often a mount that lingers is looked at.
  private static let tick = Duration.milliseconds(250)

  init(_ volume: Volume, mounts: OwnMounts, events: SessionEvents, idle: Duration?) {
    self.volume = volume
    self.mounts = mounts
    self.events = events
    self.idle = idle.map { IdleWatch(limit: $0) }
  }

  /// Returns when the session is to end.
  mutating func waitForEnd() -> SessionEnd {
    while true {
      switch events.wait(until: nextLook) {
      case .disconnected:
        // The table of mounts has not changed since the mount was seen in it.
        return standing == .mounted && !events.mountsHaveChanged ? .aborted : .gone
      case .signal: return .asked
      case .mountsChanged:
        standing = mounts.standing
        guard standing == .left, !isLingering else { continue }
        guard volume.expectsLazyUnmount else { return .asked }
        volume.logger.notice("Unmounted; the space stays open until nobody uses its files any more.")
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
    // No later than the clock can say.
    return UInt64(clamping: min(idle.next(lastUse: volume.lastUse), 1 << 33)) * 1_000_000_000
  }

  /// Whether nothing is open, and nothing was asked for since the last second began: a program that copies many files
  /// has none open in between. A process that only works in a directory does not hold the space open.
  private var isUnused: Bool {
    volume.openFileCount == 0 && monotonicSeconds() - volume.lastUse >= 2
  }

  private mutating func unmountIfIdle() {
    let now = monotonicSeconds()
    let lastUse = volume.lastUse
    guard idle?.isDue(now: now, lastUse: lastUse, openFiles: volume.openFileCount) == true else { return }
    if mounts.unmount() { volume.logger.notice("Unmounted, because nobody used it.") }
    // Somebody works in it without a request, or it ends in a moment.
    idle?.postpone(now: now)
  }
}
