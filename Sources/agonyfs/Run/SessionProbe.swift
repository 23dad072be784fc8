internal import CPlatform
internal import CSession
internal import Glibc
internal import System
internal import SystemPackage

/// Tests in a child process whether this machine allows a private session, before the password is asked for.
enum SessionProbe {
  /// Why a session cannot be made, as the end of a sentence; nil if it can.
  static func obstacle(
    to plan: SessionPlan, in namespaces: SessionNamespaces, mountedAt source: FilePath
  ) throws(Errno) -> String? {
    let (reading, writing) = try Descriptor.pipe()
    let child = agonyfs_fork()
    if child == 0 {
      try? writing.writeAll(Array((attempt(plan, namespaces, source) ?? "").utf8))
      _exit(0)
    }
    guard child > 0 else { throw .current }
    return try wait(child, reading)
  }

  private static func attempt(_ plan: SessionPlan, _ namespaces: SessionNamespaces, _ source: FilePath) -> String? {
    let isUser = namespaces.user != nil
    do throws(Errno) { try namespaces.enter() } catch { return "namespaces are not allowed: \(error)" }
    // These mounts disappear with this process.
    guard agonyfs_session_separate_view() == 0 else { return "namespaces are not allowed: \(Errno.current)" }
    let stage = source.removingLastComponent()
    guard unsafe stage.withPlatformString({ unsafe agonyfs_mount_memory($0) }) == 0,
      unsafe source.withPlatformString({ unsafe mkdir($0, 0o700) }) == 0
    else { return "mounting is not allowed: \(Errno.current)" }
    guard unsafe source.withPlatformString({ unsafe agonyfs_may_mount_fuse($0) }) else {
      return "FUSE cannot be mounted in a namespace: \(Errno.current)"
    }
    guard agonyfs_session_separate_processes() == 0 else { return "namespaces are not allowed: \(Errno.current)" }
    return inFirstProcess(plan, isUser)
  }

  /// Continues in a child, because the rest needs a process in the new process namespace.
  private static func inFirstProcess(_ plan: SessionPlan, _ isUser: Bool) -> String? {
    guard let (reading, writing) = try? Descriptor.pipe() else { return "no descriptors are left" }
    let child = agonyfs_fork()
    if child == 0 {
      try? writing.writeAll(Array((seen(plan, isUser) ?? "").utf8))
      _exit(0)
    }
    guard child > 0 else { return "no process can be started: \(Errno.current)" }
    do throws(Errno) { return try wait(child, reading) } catch { return "\(error)" }
  }

  private static func seen(_ plan: SessionPlan, _ isUser: Bool) -> String? {
    guard agonyfs_session_separate_view() == 0 else { return "namespaces are not allowed: \(Errno.current)" }
    var view = SessionView(isInUserNamespace: isUser)
    do throws(SessionView.Failure) {
      try view.make(plan)
      return nil
    } catch {
      // The kernel lets only root see the files below a mount point.
      if error.isOverlay, isUser, let mount = plan.mounts.first {
        return "another file system is mounted at \(mount), in the home directory; unmount it first"
      }
      return "\(error.action) failed: \(error.error)"
    }
  }

  /// Waits for a child; returns the text that it wrote, nil if none.
  private static func wait(_ child: pid_t, _ reading: Descriptor) throws(Errno) -> String? {
    var status: CInt = 0
    try systemCall { unsafe waitpid(child, &status, 0) }
    guard status == 0 else { return "the process that tried it ended with status \(status)" }
    // This process holds the writing end as well, so reading to the end would never return.
    var waited = pollfd(fd: reading.number, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&waited, 1, 0) == 1, waited.revents & Int16(POLLIN) != 0 else { return nil }
    let text = try reading.readSome(most: 4096)
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }
}
