internal import Albums
internal import CMount
internal import Library
internal import Vault

/// A request of the kernel in its receive buffer (linux/fuse.h). It gives what must be known before libfuse parses the
/// request, and what libfuse does not pass on.
@safe struct KernelRequest {
  private let bytes: UnsafeRawBufferPointer
  private let header: fuse_in_header

  /// The most bytes of a small read or write.
  static let smallBytes = 32 << 10

  /// Parses a request, which must stay in place. Nil if it is shorter than a header.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= MemoryLayout<fuse_in_header>.size else { return nil }
    unsafe self.bytes = bytes
    header = unsafe bytes.loadUnaligned(as: fuse_in_header.self)
  }

  /// Bytes, including the header.
  var size: Int { unsafe bytes.count }
  /// The number by which it is answered.
  var unique: UInt64 { header.unique }
  var node: UInt64 { header.nodeid }
  /// The client thread; 0 for the kernel itself.
  var thread: UInt32 { header.pid }
  var caller: Caller {
    Caller(user: header.uid, group: header.gid, process: Int32(bitPattern: header.pid))
  }

  private var operation: fuse_opcode { fuse_opcode(rawValue: header.opcode) }

  /// Bytes after the header.
  private var bodySize: Int { unsafe bytes.count - MemoryLayout<fuse_in_header>.size }

  /// The body; nil if there are fewer bytes.
  @inline(__always)
  private func body<Body: BitwiseCopyable>(_ type: Body.Type) -> Body? {
    guard bodySize >= MemoryLayout<Body>.size else { return nil }
    return unsafe bytes.loadUnaligned(fromByteOffset: MemoryLayout<fuse_in_header>.size, as: type)
  }

  /// Whether it counts as use of the mount. What file managers ask for an open window does not, nor what the kernel
  /// does by itself.
  var isUse: Bool {
    switch operation {
    case FUSE_FORGET, FUSE_BATCH_FORGET, FUSE_INTERRUPT, FUSE_STATFS, FUSE_DESTROY: false
    default: true
    }
  }

  /// Whether it first clears set-user-ID and set-group-ID bits, if FUSE_HANDLE_KILLPRIV_V2 is agreed on.
  var clearsSetBits: Bool {
    switch operation {
    case FUSE_WRITE:
      return body(fuse_write_in.self).map { $0.write_flags & UInt32(FUSE_WRITE_KILL_SUIDGID) != 0 } ?? false
    case FUSE_OPEN:
      return body(fuse_open_in.self).map { $0.open_flags & UInt32(FUSE_OPEN_KILL_SUIDGID) != 0 } ?? false
    case FUSE_SETATTR:
      guard let valid = body(fuse_setattr_in.self)?.valid else { return false }
      let owner = UInt32(FATTR_UID | FATTR_GID)
      let changesOwner = valid & owner != 0 && valid & UInt32(FATTR_MODE) == 0
      // The kernel sends a change without attributes to clear the bits before a write, an allocation or a copy.
      let changesNothing = valid & ~UInt32(FATTR_FH | FATTR_LOCKOWNER) == 0
      return valid & UInt32(FATTR_KILL_SUIDGID) != 0 || changesOwner || changesNothing
    default: return false
    }
  }

  /// Whether it probably takes only microseconds: no long list, few bytes, and no wait for the disk. Waiting for the
  /// disk is fine if there is no other client (`isAlone`).
  func isSmall(isAlone: @autoclosure () -> Bool) -> Bool {
    switch operation {
    case FUSE_READ:
      // What is not stored is made when it is read.
      if VirtualNode.isVirtual(InodeNumber(rawValue: node)) { return false }
      return body(fuse_read_in.self).map { $0.size <= Self.smallBytes } ?? false
    case FUSE_WRITE: return bodySize <= Self.smallBytes + MemoryLayout<fuse_write_in>.size
    case FUSE_SETATTR: return body(fuse_setattr_in.self).map { $0.valid & UInt32(FATTR_SIZE) == 0 } ?? false
    case FUSE_FSYNC, FUSE_FSYNCDIR: return isAlone()
    case FUSE_LOOKUP, FUSE_FORGET, FUSE_GETATTR, FUSE_READLINK, FUSE_SYMLINK, FUSE_MKNOD, FUSE_MKDIR, FUSE_UNLINK,
      FUSE_RMDIR, FUSE_RENAME, FUSE_RENAME2, FUSE_LINK, FUSE_OPEN, FUSE_CREATE, FUSE_RELEASE, FUSE_FLUSH,
      FUSE_OPENDIR, FUSE_RELEASEDIR, FUSE_STATFS, FUSE_SETXATTR, FUSE_GETXATTR, FUSE_LISTXATTR, FUSE_REMOVEXATTR,
      FUSE_ACCESS, FUSE_LSEEK, FUSE_IOCTL, FUSE_INTERRUPT:
      return true
    default: return false
    }
  }
}
