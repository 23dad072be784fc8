// Invariants:
// 1. Threads read requests only between the reply to INIT and the end of `Workers.stop()`. When `run()` returns, no
//    request is in flight.
// 2. The end is the same however a mount leaves its place. The volume is locked, the kernel writes back its dirty data,
//    queued requests are answered, and the connection is closed. Then the space is closed and the process ends.
// 3. This process removes the mount; libfuse never does: it would detach any mount that is at the path by then.

package import Albums
internal import CMount
internal import Glibc
internal import Library
package import Logging
internal import System
internal import SystemPackage

/// A mounted space.
@safe package final class MountSession {
  private let volume: Volume
  private let mountPoint: MountPoint
  private let options: MountOptions
  private let logger: Logger
  private let onReady: () -> Void

  /// How long the kernel may take to close the connection after the mount has left its place.
  private static let patience = Duration.milliseconds(100)

  /// Prepares the mount. `onReady` is called once, in the thread that runs the session, when the mount is ready.
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

  /// Mounts, and serves until the mount has left its place, a signal (SIGTERM, SIGINT, SIGHUP) ends it, or it has been
  /// unused for `MountOptions.idle`. When it returns, no request is in flight or will be answered, and the file system
  /// may be closed. Throws `MountError` if the mount cannot be made or the connection breaks.
  package func run() throws(MountError) {
    let events = try SessionEvents()
    LibraryLog.begin()
    var operations = fuse_lowlevel_ops.all
    let list = ByteText.bytes(of: options.libraryList).map { CChar(bitPattern: $0) } + [0]
    guard let session = unsafe agonyfs_session_new(list, &operations, volume.userData) else {
      throw failure("the FUSE library refused the mount options")
    }
    // Closes the connection, which ends the mount for all processes that still hold it.
    defer { unsafe fuse_session_destroy(session) }
    let target = try mountPoint.target()
    guard unsafe target.withPlatformString({ unsafe fuse_session_mount(session, $0) }) == 0 else {
      throw failure(LibraryLog.lastMessage ?? "the kernel refused the mount")
    }
    LibraryLog.serve(logger)
    // An automount counts a process with a descriptor of the directory below as a user, and would never expire.
    mountPoint.directory.letGo()
    let mounts = unsafe OwnMounts(mountPoint, connection: fuse_session_fd(session))
    do throws(MountError) {
      try unsafe greet(session)
      unsafe volume.shared.begin(session)
      let workers = try unsafe Workers(session: session, volume: volume, events: events)
      mounts.readAhead()
      onReady()
      unsafe serve(session, mounts, events)
      volume.fileSystem.duplicates.abandonsSearches(true)
      workers.stop()
      volume.fileSystem.duplicates.abandonsSearches(false)
    } catch {
      if mounts.areMounted { mounts.detach() }
      throw error
    }
    if let reason = events.failure { throw .sessionFailed(reason: reason) }
  }

  /// Waits for the end and locks the volume.
  private func serve(_ session: OpaquePointer, _ mounts: OwnMounts, _ events: SessionEvents) {
    var supervisor = Supervisor(volume, mounts: mounts, events: events, idle: options.idle)
    let end = supervisor.waitForEnd()
    volume.lock()
    if end == .aborted || mounts.areMounted { mounts.detach() }
    guard end == .asked else { return }
    let caches = unsafe KernelCaches(of: session, volume)
    caches.writeBack()
    // Immediate, unless a program has files open or another mount namespace has a copy of the mount.
    if events.waitForDisconnection(Self.patience) { return }
    logger.notice("A program still holds the mount; its requests fail from now on.")
    caches.forget()
  }

  /// Answers INIT in this thread; the kernel sends nothing else before that.
  private func greet(_ session: OpaquePointer) throws(MountError) {
    guard unsafe agonyfs_session_hook(session) == 0 else {
      throw failure("the FUSE library is too old; agonyfs needs libfuse 3.14 or later")
    }
    var buffer = unsafe fuse_buf()
    defer { unsafe free(buffer.mem) }
    var received: CInt = -EINTR
    while received == -EINTR { received = unsafe fuse_session_receive_buf(session, &buffer) }
    guard received > 0 else { throw failure("the kernel sent no INIT request (\(received))") }
    unsafe fuse_session_process_buf(session, &buffer)
    if unsafe fuse_session_exited(session) != 0 {
      throw failure(LibraryLog.lastMessage ?? "the kernel and the FUSE library do not share a protocol version")
    }
  }

  private func failure(_ reason: String) -> MountError {
    .mountFailed(path: mountPoint.path.string, reason: reason)
  }
}
