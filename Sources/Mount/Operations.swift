// Invariants:
// 1. Every request is answered exactly once, as the last step of its work. After that the kernel may forget the inode,
//    and another thread may serve the next request for it.
// 2. No lock is held while answering.

internal import CMount
internal import SystemPackage

extension fuse_lowlevel_ops {
  /// The callbacks that libfuse calls, one for each kind of request. Deliberately missing:
  ///
  /// - flush, access: libfuse answers ENOSYS, and the kernel never asks again;
  /// - releasedir: without opendir the kernel sends none; readdir: with readdirplus it sends none;
  /// - getlk, setlk, flock: the kernel manages locks itself, which is right for one machine;
  /// - write_buf, retrieve_reply: useful only with splice; bmap: no block device is there; poll: files are always
  ///   ready.
  static var all: fuse_lowlevel_ops {
    var table = fuse_lowlevel_ops()
    table.addStartCallbacks()
    table.addNameCallbacks()
    table.addAttributeCallbacks()
    table.addExtendedAttributeCallbacks()
    table.addFileCallbacks()
    table.addDirectoryCallbacks()
    return table
  }
}

/// Runs the body of a callback and answers with its error. A body that returns has answered itself. A locked volume
/// answers with ENOTCONN, except with `evenIfLocked`.
@inline(__always)
func serve(_ request: fuse_req_t?, evenIfLocked: Bool = false, _ body: (Volume) throws(Errno) -> Void) {
  unsafe Volume.with(request) { volume in
    do throws(Errno) {
      if volume.isLocked, !evenIfLocked { throw .socketNotConnected }
      try body(volume)
    } catch {
      unsafe fuse_reply_err(request, error.rawValue)
    }
  }
}

/// As `serve`, but answers with success for a body that does not answer itself.
@inline(__always)
func perform(_ request: fuse_req_t?, evenIfLocked: Bool = false, _ body: (Volume) throws(Errno) -> Void) {
  unsafe serve(request, evenIfLocked: evenIfLocked) { volume throws(Errno) in
    try body(volume)
    unsafe fuse_reply_err(request, 0)
  }
}
