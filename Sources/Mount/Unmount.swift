internal import CMount
internal import Glibc
internal import System
internal import SystemPackage

/// Takes mounts away.
package enum Unmount {
  /// What becomes of files that are open in a mount.
  package enum Manner: Sendable {
    /// The mount stays while there are any.
    case whenUnused
    /// The mount leaves its place at once; they work until their users close them.
    case lazy
    /// They are cut off: what was written is kept, and their users get errors.
    case force
  }

  /// Unmounts the space at a path, from all places where it is mounted. Returns when its program has written everything
  /// and ended; after `.lazy` as soon as the mount has left its place.
  ///
  /// Throws `MountError.busy` when it is in use, `.mountedElsewhere` when the program sees other mounts than this
  /// process, and `.notMounted` when there is no agonyfs mount.
  package static func unmount(_ path: String, _ manner: Manner = .whenUnused) throws(MountError) {
    let table = MountTable.current()
    guard let resolved = CanonicalPath.resolve(path), let entry = table.entry(at: Array(resolved.utf8)), entry.isFuse
    else { throw .notMounted(path: path) }
    let identity = DaemonQuestion.ask(manner == .lazy ? .lazy : .identity, of: resolved, entry)
    guard identity != nil || entry.type == "fuse.agonyfs" else { throw .notMounted(path: path) }
    if identity?.isElsewhere == true { throw .mountedElsewhere(path: path) }
    // Opened before unmounting, so that its number can't pass to another process.
    let daemon = identity.flatMap { $0.isRunning ? try? openProcess($0.process) : nil }
    let places = table.places(of: entry.device)
    // A mount that is in use is refused before another one is taken away.
    let first = places.filter { $0 == resolved || $0.hasPrefix(resolved + "/") }
    for place in first + places.filter({ !first.contains($0) }) {
      switch MountRemoval.remove(place, isLazy: manner != .whenUnused) {
      case .done: break
      case .busy: throw .busy(path: place == resolved ? path : place)
      case .failed(let reason): throw .unmountFailed(path: place == resolved ? path : place, reason: reason)
      }
    }
    // A process that serves a mount itself can't wait for its own end.
    if let daemon, manner != .lazy, identity?.process != getpid() { waitForEnd(of: daemon) }
  }

  private static func openProcess(_ process: Int32) throws(Errno) -> Descriptor {
    Descriptor(try systemCall { agonyfs_pidfd_open(process) })
  }

  private static func waitForEnd(of daemon: Descriptor) {
    var interest = pollfd(fd: daemon.number, events: Int16(POLLIN), revents: 0)
    _ = try? systemCall { unsafe poll(&interest, 1, -1) }
  }
}
