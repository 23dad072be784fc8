internal import Albums
internal import CMount
internal import Library
internal import Vault

/// A request of the kernel in its receive buffer (linux/fuse.h): the fields that are needed before libfuse parses it,
/// and those that libfuse does not pass on.
@safe struct KernelRequest {
  private let bytes: UnsafeRawBufferPointer
  private let header: fuse_in_header

  /// Largest small read or write, in bytes.
  static let smallBytes = 32 << 10

  /// Parses a request, which must stay in place. Nil if it is shorter than a header.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= MemoryLayout<fuse_in_header>.size else { return nil }
    unsafe self.bytes = bytes
    header = unsafe bytes.loadUnaligned(as: fuse_in_header.self)
  }

  /// Its size in bytes, including the header.
  var size: Int { unsafe bytes.count }
  /// The number that the reply refers to.
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

  /// The body; nil if the request is too short.
  @inline(__always)
  private func body<Body: BitwiseCopyable>(_ type: Body.Type) -> Body? {
    guard bodySize >= MemoryLayout<Body>.size else { return nil }
    return unsafe bytes.loadUnaligned(fromByteOffset: MemoryLayout<fuse_in_header>.size, as: type)
  }

  /// Whether it counts as use of the mount. Requests of file managers for an open window do not count, nor do the
  /// kernel's own.
  var isUse: Bool {
    switch operation {
    case FUSE_FORGET, FUSE_BATCH_FORGET, FUSE_INTERRUPT, FUSE_STATFS, FUSE_DESTROY: false
    default: true
    }
  }

  /// Whether it must first clear set-user-ID and set-group-ID bits, if FUSE_HANDLE_KILLPRIV_V2 was negotiated.
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

  /// Whether it probably takes only microseconds: no long list, few bytes, and no disk I/O. With a single client
  /// (`isAlone`), waiting for the disk does not matter.
  func isSmall(isAlone: @autoclosure () -> Bool) -> Bool {
    switch operation {
    case FUSE_READ:
      // Virtual files are made when they are read.
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
