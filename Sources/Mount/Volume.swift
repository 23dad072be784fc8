// Invariants:
// 1. Every request is answered exactly once, and the answer is the last thing done for it: after it the kernel may
//    forget the inode, and another thread may serve the next request about it.
// 2. No lock is held while answering.
// 3. The volume outlives the session, so that requests need not count references to it.

internal import Albums
internal import CMount
internal import Logging
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
  let buffers = ReplyBuffers(size: SessionLimits.maximumRead)
  /// What `agonyfs unmount` asks for.
  let identity: DaemonIdentity

  init(fileSystem: FileSystem, logger: Logger, identity: DaemonIdentity) {
    self.fileSystem = fileSystem
    virtual = VirtualTree(fileSystem)
    self.logger = logger
    self.identity = identity
  }

  /// The pointer that libfuse is given.
  var userData: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  /// Lends the volume of a request without counting a reference: all threads would write to that one counter.
  @inline(__always)
  static func with(_ request: fuse_req_t, _ body: (Volume) -> Void) {
    guard let userData = unsafe fuse_req_userdata(request) else { return }
    unsafe Unmanaged<Volume>.fromOpaque(userData)._withUnsafeGuaranteedRef { volume in body(volume) }
  }
}

/// Runs the body of a callback, and answers with the error that it throws. A body that returns has answered.
@inline(__always)
func serve(_ request: fuse_req_t, _ body: (Volume) throws(Errno) -> Void) {
  unsafe Volume.with(request) { volume in
    do throws(Errno) {
      try body(volume)
    } catch {
      unsafe fuse_reply_err(request, error.rawValue)
    }
  }
}
