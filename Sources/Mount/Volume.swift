// Invariants:
// 1. Every request is answered exactly once, and the answer is the last thing done for it: after it the kernel may
//    forget the inode, and another thread may serve the next request about it.
// 2. No lock is held while answering.
// 3. The volume outlives the session, so that requests need not count references to it.
// 4. Once it is locked, requests are served only if they bring what the kernel holds, or end something.

internal import Albums
internal import CMount
internal import Glibc
internal import Logging
internal import Synchronization
internal import System
internal import SystemPackage

/// What requests need: libfuse carries a pointer to it.
@safe final class Volume: Sendable {
  /// The files.
  let fileSystem: FileSystem
  /// What is shown beside them, if anything is.
  let virtual: VirtualTree?
  /// Where to say what went wrong.
  let logger: Logger
  /// Memory for the answers to reads and listings.
  let buffers = BufferPool([BufferPool.Size(bytes: SessionLimits.maximumRead, idleLimit: .max)])
  /// What `agonyfs unmount` asks for.
  let identity: DaemonIdentity
  private let used = Atomic<Int64>(monotonicSeconds())
  private let locked = Atomic<Bool>(false)
  /// Until when `agonyfs unmount --lazy` is expected to detach the mount, in nanoseconds of the monotonic clock.
  private let lazyUntil = Atomic<UInt64>(0)

  init(fileSystem: FileSystem, logger: Logger, identity: DaemonIdentity) {
    self.fileSystem = fileSystem
    virtual = VirtualTree(fileSystem)
    self.logger = logger
    self.identity = identity
  }

  /// When the mount was used last, in seconds of the monotonic clock.
  var lastUse: Int64 { used.load(ordering: .relaxed) }

  /// Notes that it is used now.
  @inline(__always)
  func noteUse() {
    let now = monotonicSeconds()
    // Written once a second: every request reads the memory around it.
    if now != lastUse { used.store(now, ordering: .relaxed) }
  }

  /// Whether the mount is gone, and what still comes is answered with ENOTCONN.
  var isLocked: Bool { locked.load(ordering: .relaxed) }

  /// From now on nothing is shown any more.
  func lock() { locked.store(true, ordering: .relaxed) }

  /// Notes that the mount is about to be detached for its open files to end first. It counts for ten seconds, in which
  /// the helper program surely detaches: what others detach later is theirs.
  func expectLazyUnmount() {
    lazyUntil.store(monotonicTime() + Duration.seconds(10).nanoseconds, ordering: .relaxed)
  }

  /// Whether that was said just now.
  var expectsLazyUnmount: Bool { monotonicTime() < lazyUntil.load(ordering: .relaxed) }

  /// How many opens have not been released.
  var openFileCount: Int { fileSystem.openFileCount + (virtual?.openFileCount ?? 0) }

  /// The pointer that libfuse is given.
  var userData: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  /// Lends the volume of a request without counting a reference: all threads would write to that one counter.
  @inline(__always)
  static func with(_ request: fuse_req_t, _ body: (Volume) -> Void) {
    guard let userData = unsafe fuse_req_userdata(request) else { return }
    unsafe Unmanaged<Volume>.fromOpaque(userData)._withUnsafeGuaranteedRef { volume in body(volume) }
  }
}

/// Runs the body of a callback, and answers with the error that it throws. A body that returns has answered. A locked
/// volume answers with ENOTCONN, unless the request is one that it serves even then.
@inline(__always)
func serve(_ request: fuse_req_t, evenIfLocked: Bool = false, _ body: (Volume) throws(Errno) -> Void) {
  unsafe Volume.with(request) { volume in
    do throws(Errno) {
      if volume.isLocked, !evenIfLocked { throw .socketNotConnected }
      try body(volume)
    } catch {
      unsafe fuse_reply_err(request, error.rawValue)
    }
  }
}
