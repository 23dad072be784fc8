internal import CMount
internal import Glibc
internal import System
internal import SystemPackage

/// Takes mounts away.
package enum Unmount {
  /// Unmounts the space at a path and waits until its program has written everything and ended. Throws
  /// `MountError.busy` when it is in use, and `MountError.notMounted` when there is no agonyfs mount.
  package static func unmount(_ path: String) throws(MountError) {
    guard let resolved = CanonicalPath.resolve(path),
      let entry = MountTable.current().entry(at: Array(resolved.utf8)), entry.isFuse
    else { throw .notMounted(path: path) }
    let identity = DaemonQuestion.identity(of: resolved, entry)
    guard identity != nil || entry.type == "fuse.agonyfs" else { throw .notMounted(path: path) }
    // Opened before unmounting, so that its number can't pass to another process.
    let daemon = identity.map { agonyfs_pidfd_open($0.process) } ?? -1
    defer { if daemon >= 0 { close(daemon) } }
    switch MountRemoval.remove(resolved, isLazy: false) {
    case .done: break
    case .busy: throw .busy(path: path)
    case .failed(let reason): throw .unmountFailed(path: path, reason: reason)
    }
    // A process that serves a mount itself can't wait for its own end.
    if daemon >= 0, identity?.process != getpid() { waitForEnd(of: daemon) }
  }

  private static func waitForEnd(of daemon: CInt) {
    var interest = pollfd(fd: daemon, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&interest, 1, -1) < 0 && errno == EINTR {}
  }
}

/// Asks a mount which process serves it.
enum DaemonQuestion {
  /// The process; nil when the mount is dead, is not ours, or does not answer to this user.
  static func identity(of path: String, _ entry: MountTableEntry) -> DaemonIdentity? {
    let answer = unsafe ask(path) { name, value, size in unsafe getxattr(path, name, value, size) }
    if let answer = answer ?? askAsOwner(path, entry), answer.isRunning { return answer }
    return nil
  }

  /// A mount without `allow_other` answers to nobody but its user, not even to root.
  private static func askAsOwner(_ path: String, _ entry: MountTableEntry) -> DaemonIdentity? {
    guard geteuid() == 0, let user = entry.number(of: "user_id"), let group = entry.number(of: "group_id"), user != 0
    else { return nil }
    let question = OwnerQuestion(path: path, user: user, group: group)
    // A thread of its own, because it can't become root again.
    guard let thread = try? Thread({ question.ask() }) else { return nil }
    thread.join()
    return question.answer
  }

  /// Reads the attribute by the given call.
  fileprivate static func ask(
    _ path: String, _ call: (UnsafePointer<CChar>, UnsafeMutableRawPointer, Int) -> Int
  ) -> DaemonIdentity? {
    var value = [UInt8](repeating: 0, count: 64)
    let count = unsafe value.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return -1 }
      return unsafe call(DaemonIdentity.attributeText, base, bytes.count)
    }
    return count > 0 ? DaemonIdentity(text: Array(value[..<count])) : nil
  }

  /// The question, and its answer once the thread that asks has ended.
  private final class OwnerQuestion: @unchecked Sendable {
    let path: String
    let user: UInt32
    let group: UInt32
    var answer: DaemonIdentity?

    init(path: String, user: UInt32, group: UInt32) {
      self.path = path
      self.user = user
      self.group = group
    }

    func ask() {
      unsafe answer = DaemonQuestion.ask(path) { name, value, size in
        unsafe agonyfs_getxattr_as(user, group, path, name, value, size)
      }
    }
  }
}
