internal import CMount
internal import Glibc
internal import System
package import SystemPackage

/// Unmounts spaces.
package enum Unmount {
  /// What happens to open files.
  package enum Manner: Sendable {
    /// A mount with open files stays.
    case whenUnused
    /// The mount leaves its place at once, and open files work until their users close them.
    case lazy
    /// Open files are cut off: what was written is kept, and their users get errors.
    case force
  }

  /// Unmounts the space at a path, from all places where it is mounted. Returns when its process has written everything
  /// and ended, or with `.lazy` when the mount has left its place.
  ///
  /// `evicts` says whether the host is to keep nothing of the vault's files in memory, which takes some time; with `.force`
  /// it does so in any case: whoever asks for that leaves the machine.
  ///
  /// Throws `MountError.busy` if it is in use, and still is half a second later, `.mountedElsewhere` if it is a copy of a
  /// mount in another mount namespace, and `.notMounted` if there is no agonyfs mount.
  package static func unmount(
    _ path: FilePath, _ manner: Manner = .whenUnused, evicts: Bool = false
  ) throws(MountError) {
    let table = MountTable.current()
    guard let resolved = CanonicalPath.resolve(path), let entry = table.entry(at: resolved), entry.isFuse
    else { throw .notMounted(path: path.string) }
    let identity = DaemonQuestion.ask(manner == .lazy ? .lazy : .identity, of: resolved, entry)
    guard identity != nil || entry.isNamedOurs else { throw .notMounted(path: path.string) }
    if identity?.isElsewhere == true { throw .mountedElsewhere(path: path.string) }
    // An older program does not know it.
    if evicts || manner == .force { _ = DaemonQuestion.ask(.evicting, of: resolved, entry) }
    // Opened before unmounting, so the ID cannot pass to another process.
    let daemon = identity.flatMap { identity in
      identity.isRunning ? try? Descriptor(systemCall { pidfd_open(identity.process, 0) }) : nil
    }
    let places = table.places(of: entry.device)
    // A busy mount at the given path is refused before others are removed.
    let first = places.filter { $0.starts(with: resolved) }
    for place in first + places.filter({ !first.contains($0) }) {
      switch remove(place, isLazy: manner != .whenUnused) {
      case .done: break
      case .busy: throw .busy(path: (place == resolved ? path : place).string)
      case .failed(let reason): throw .unmountFailed(path: (place == resolved ? path : place).string, reason: reason)
      }
    }
    // A process cannot wait for its own end.
    if let daemon, manner != .lazy, identity?.process != getpid() { waitForEnd(of: daemon) }
  }

  /// An indexer that looks, or a program that starts another one, uses a mount for a moment only.
  private static func remove(_ place: FilePath, isLazy: Bool) -> MountRemoval {
    var outcome = MountRemoval.remove(place, isLazy: isLazy)
    for milliseconds: UInt32 in [10, 20, 40, 80, 150, 200] where outcome == .busy {
      usleep(milliseconds * 1000)
      outcome = MountRemoval.remove(place, isLazy: isLazy)
    }
    return outcome
  }

  /// Waits until a descriptor can be read, as that of a process when it has ended; for so many milliseconds at most,
  /// unless the limit is negative.
  static func waitForEnd(of daemon: Descriptor, _ limit: CInt = -1) {
    var interest = pollfd(fd: daemon.number, events: Int16(POLLIN), revents: 0)
    _ = try? systemCall { unsafe poll(&interest, 1, limit) }
  }
}
