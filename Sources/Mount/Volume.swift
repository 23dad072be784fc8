// Invariants:
// 1. The volume outlives the session, so requests need no references to it.
// 2. A locked volume serves only the kernel's write-back and requests that release something.

internal import Albums
internal import CMount
internal import Glibc
internal import Library
internal import Logging
internal import Synchronization
internal import System
internal import SystemPackage

/// The state that requests need; libfuse carries a pointer to it.
@safe final class Volume: Sendable {
  let fileSystem: FileSystem
  let virtual: VirtualTree
  let logger: Logger
  /// Memory for the replies to reads and listings.
  let buffers = BufferPool([BufferPool.Size(bytes: SessionLimits.maximumRead, idleLimit: .max)])
  /// The answer to `agonyfs unmount`.
  let identity: DaemonIdentity
  /// Reads of catalog answers.
  let questionReads = QuestionReads(most: SessionLimits.questions)
  /// State about `.sh_thumbnails` that is not stored.
  let shared = SharedFolders()
  private let used = Atomic<Int64>(monotonicSeconds())
  private let locked = Atomic<Bool>(false)
  /// The end of the time in which `agonyfs unmount --lazy` is expected, in nanoseconds of the monotonic clock.
  private let lazyUntil = Atomic<UInt64>(0)

  init(fileSystem: FileSystem, logger: Logger, identity: DaemonIdentity) {
    self.fileSystem = fileSystem
    virtual = VirtualTree(fileSystem)
    self.logger = logger
    self.identity = identity
  }

  /// The time of the last use, in seconds of the monotonic clock.
  var lastUse: Int64 { used.load(ordering: .relaxed) }

  @inline(__always)
  func noteUse() {
    let now = monotonicTime()
    fileSystem.recentUse.note(at: now)
    let second = Int64(now / 1_000_000_000)
    // Stored once a second, because every request reads the memory around it.
    if second != lastUse { used.store(second, ordering: .relaxed) }
  }

  /// Whether the mount is gone; requests get ENOTCONN.
  var isLocked: Bool { locked.load(ordering: .relaxed) }

  /// Locks the volume for good.
  func lock() { locked.store(true, ordering: .relaxed) }

  /// Expects a lazy unmount for ten seconds, which is enough for the helper to detach the mount. A later detachment has
  /// another cause.
  func expectLazyUnmount() {
    lazyUntil.store(monotonicTime() + Duration.seconds(10).nanoseconds, ordering: .relaxed)
  }

  var expectsLazyUnmount: Bool { monotonicTime() < lazyUntil.load(ordering: .relaxed) }

  /// The number of opens that have not been released.
  var openFileCount: Int { fileSystem.openFileCount + virtual.openFileCount }

  /// The pointer for libfuse.
  var userData: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  /// Passes the volume of a request to `body` without counting a reference, because all threads would write to that
  /// counter.
  @inline(__always)
  static func with(_ request: fuse_req_t?, _ body: (Volume) -> Void) {
    guard let userData = unsafe fuse_req_userdata(request) else { return }
    unsafe Unmanaged<Volume>.fromOpaque(userData)._withUnsafeGuaranteedRef { volume in body(volume) }
  }
}
