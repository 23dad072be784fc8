// Invariants:
// 1. Threads read requests only between the answer to INIT and the end of `Workers.stop()`; when `run()` returns, no
//    request is under way.
// 2. The mount is taken away by us, never by libfuse: it would unmount lazily whatever is at the path by then.

package import Albums
internal import CMount
internal import Glibc
package import Logging
internal import System

/// A space that is mounted.
@safe package final class MountSession {
  private let volume: Volume
  private let mountPoint: MountPoint
  private let options: MountOptions
  private let logger: Logger
  private let onReady: () -> Void

  /// Prepares to mount. `onReady` is called once, in the thread that runs the session, when the mount answers.
  package init(
    fileSystem: FileSystem, mountPoint: MountPoint, options: MountOptions, logger: Logger,
    onReady: @escaping () -> Void
  ) {
    self.volume = Volume(fileSystem: fileSystem, logger: logger, identity: .current())
    self.mountPoint = mountPoint
    self.options = options
    self.logger = logger
    self.onReady = onReady
  }

  /// Mounts, and serves until somebody unmounts, a signal to end comes (SIGTERM, SIGINT, SIGHUP) or nobody used the
  /// mount for `MountOptions.idle`. When it returns, no request is under way and the file system may be closed.
  /// Throws when the mount cannot be made or the connection breaks.
  package func run() throws(MountError) {
    let ending = try SessionEnding()
    LibraryLog.begin()
    defer { LibraryLog.end() }
    guard let session = unsafe agonyfs_session_new(options.libraryList, volume.userData) else {
      throw failure("the FUSE library refused the mount options")
    }
    // Closes the connection, which ends the mount for those who still have files open.
    defer { unsafe fuse_session_destroy(session) }
    guard unsafe fuse_session_mount(session, mountPoint.path) == 0 else {
      throw failure(LibraryLog.lastMessage ?? "the kernel refused it")
    }
    LibraryLog.serve(logger)
    let mounted = MountedPath(mountPoint)
    do throws(MountError) {
      try unsafe greet(session)
      let workers = try unsafe Workers(session: session, ending: ending)
      mounted.readAhead()
      onReady()
      supervise(mounted, ending)
      workers.stop()
    } catch {
      mounted.detach()
      throw error
    }
    if let reason = ending.failure { throw .sessionFailed(reason: reason) }
  }

  /// Answers INIT, in this thread: until then the kernel sends nothing else.
  private func greet(_ session: OpaquePointer) throws(MountError) {
    guard unsafe agonyfs_session_hook(session) == 0 else {
      throw failure("the FUSE library is too old; agonyfs needs libfuse 3.14 or later")
    }
    var buffer = unsafe fuse_buf()
    defer { unsafe free(buffer.mem) }
    var received: CInt = -EINTR
    while received == -EINTR { received = unsafe fuse_session_receive_buf(session, &buffer) }
    guard received > 0 else { throw failure("the kernel sent no greeting (\(received))") }
    unsafe fuse_session_process_buf(session, &buffer)
    if unsafe fuse_session_exited(session) != 0 {
      throw failure(LibraryLog.lastMessage ?? "the kernel and the FUSE library don't understand each other")
    }
  }

  /// Waits for the end of the mount, whoever wants it.
  private func supervise(_ mounted: MountedPath, _ ending: SessionEnding) {
    var idle = options.idle.map { IdleWatch(limit: $0) }
    while true {
      switch ending.wait(until: idle?.next(lastUse: agonyfs_last_request())) {
      case .disconnected:
        // Nothing is left of the mount, unless somebody aborted the connection.
        mounted.detach()
        return
      case .signal:
        if mounted.unmount(), ending.waitForDisconnection() { return }
        // Files are open: what was written through memory maps is brought here first, then their users lose the mount.
        logger.notice("Ending while files are open.")
        mounted.writeBack()
        mounted.detach()
        return
      case .timeout:
        let now = monotonicSeconds()
        let openFiles = volume.fileSystem.openFileCount
        guard idle?.isDue(now: now, lastUse: agonyfs_last_request(), openFiles: openFiles) == true else { continue }
        if mounted.unmount() { logger.notice("Unmounted, because nobody used it.") }
        // Somebody works in it without a request, or the kernel is about to close the connection.
        idle?.postpone(now: now)
      }
    }
  }

  private func failure(_ reason: String) -> MountError {
    .mountFailed(path: mountPoint.path, reason: reason)
  }
}
