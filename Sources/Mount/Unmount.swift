internal import CMount
internal import Glibc
internal import System
package import SystemPackage

/// Unmounts spaces.
package enum Unmount {
  /// The treatment of open files.
  package enum Manner: Sendable {
    /// A mount with open files stays.
    case whenUnused
    /// The mount leaves its place at once, and open files work until their programs close them.
    case lazy
    /// Open files are cut off: written data is kept, and programs get errors.
    case force
  }

  /// Unmounts the space at a path, from all its mount points. Returns when its process has written everything and
  /// ended, or with `.lazy` when the mount has left its place.
  ///
  /// - Parameter evicts: whether to evict all data of the vault's files from the host's memory, which takes some time.
  ///   With `.force` this always happens, because the user leaves the machine.
  /// - Throws: `MountError.busy` if it is in use, and still is half a second later; `.mountedElsewhere` if it is a copy
  ///   of a mount in another mount namespace; `.notMounted` if there is no agonyfs mount; `.unmountFailed` for other
  ///   reasons.
  package static func unmount(
    _ path: FilePath, _ manner: Manner = .whenUnused, evicts: Bool = false
  ) throws(MountError) {
    let table = MountTable.current()
    guard let resolved = CanonicalPath.resolve(path), let entry = table.entry(at: resolved), entry.isFuse
    else { throw .notMounted(path: path.string) }
    let identity = DaemonQuestion.ask(manner == .lazy ? .lazy : .identity, of: resolved, entry)
    guard identity != nil || entry.isNamedOurs else { throw .notMounted(path: path.string) }
    if identity?.isElsewhere == true { throw .mountedElsewhere(path: path.string) }
    // An older program does not know this attribute.
    if evicts || manner == .force { _ = DaemonQuestion.ask(.evicting, of: resolved, entry) }
    // Opened before unmounting, so that the ID cannot pass to another process.
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

  /// Removes a mount and retries while it is busy: an indexer, or a program that starts another one, uses it only for a
  /// moment.
  private static func remove(_ place: FilePath, isLazy: Bool) -> MountRemoval {
    var outcome = MountRemoval.remove(place, isLazy: isLazy)
    for milliseconds: UInt32 in [10, 20, 40, 80, 150, 200] where outcome == .busy {
      usleep(milliseconds * 1000)
      outcome = MountRemoval.remove(place, isLazy: isLazy)
    }
    return outcome
  }

  /// Waits until a descriptor is readable, as a process descriptor is when its process has ended; at most this many
  /// milliseconds unless the limit is negative.
  static func waitForEnd(of daemon: Descriptor, _ limit: CInt = -1) {
    var interest = pollfd(fd: daemon.number, events: Int16(POLLIN), revents: 0)
    _ = try? systemCall { unsafe poll(&interest, 1, limit) }
  }
}
