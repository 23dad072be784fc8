internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import Library
internal import SystemPackage
internal import Vault

extension FileName {
  /// The name in a request. Throws ENAMETOOLONG, or EINVAL for names that the kernel never sends.
  @inline(__always)
  init(request name: UnsafePointer<CChar>?) throws(Errno) {
    guard let name = unsafe name else { throw .invalidArgument }
    let length = unsafe strlen(name)
    guard length <= Self.maximumLength else { throw .fileNameTooLong }
    guard let name = unsafe FileName(UnsafeRawBufferPointer(start: name, count: length)) else {
      throw .invalidArgument
    }
    self = name
  }
}

/// The bytes of a text in a request, without the NUL.
func bytes(of text: UnsafePointer<CChar>?) -> [UInt8] {
  unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: text.map { unsafe strlen($0) } ?? 0))
}

extension InodeNumber {
  /// The inode of a request that changes something. Throws EROFS if it is virtual.
  @inline(__always)
  init(stored number: fuse_ino_t) throws(Errno) {
    self.init(rawValue: number)
    if VirtualNode.isVirtual(self) { throw .readOnlyFileSystem }
  }
}

extension Timestamp {
  init(_ time: timespec) {
    self.init(seconds: Int64(time.tv_sec), nanoseconds: UInt32(clamping: time.tv_nsec))
  }

  /// The time in the form of `struct stat`.
  var timespec: timespec {
    Glibc.timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
  }
}

extension stat {
  /// The attributes of an inode in the form for the kernel.
  init(_ attributes: Attributes) {
    self.init()
    st_ino = UInt(attributes.inode.rawValue)
    st_mode = attributes.mode
    st_nlink = UInt(attributes.links)
    st_uid = attributes.owner
    st_gid = attributes.group
    st_rdev = UInt(attributes.device)
    st_size = Int(attributes.size)
    st_blocks = Int(attributes.blocks512)
    st_blksize = SessionLimits.preferredBlock
    st_atim = attributes.accessed.timespec
    st_mtim = attributes.modified.timespec
    st_ctim = attributes.changed.timespec
  }
}

extension fuse_entry_param {
  /// The inode that a name leads to, and for how many seconds the kernel may cache name and attributes.
  init(_ attributes: Attributes, seconds: Double = SessionLimits.cacheSeconds) {
    self.init()
    ino = attributes.inode.rawValue
    // Inode numbers are never reused, so one generation is enough.
    generation = 1
    attr = stat(attributes)
    attr_timeout = seconds
    entry_timeout = seconds
  }

  /// The reply for a name that does not exist. Unlike an error, it has a lifetime, so the kernel need not ask again.
  static var absent: fuse_entry_param {
    var entry = fuse_entry_param()
    entry.entry_timeout = SessionLimits.cacheSeconds
    return entry
  }
}

extension Caller {
  init(_ request: fuse_req_t?) {
    guard let context = unsafe fuse_req_ctx(request) else {
      self.init(user: 0, group: 0, process: 0, umask: 0)
      return
    }
    unsafe self.init(
      user: context.pointee.uid, group: context.pointee.gid, process: context.pointee.pid,
      umask: context.pointee.umask)
  }
}

extension Opener {
  /// The client of a request, with all its groups.
  init(_ request: fuse_req_t?) {
    let caller = unsafe Caller(request)
    unsafe self.init(user: caller.user, group: caller.group, groups: supplementaryGroups(request))
  }
}

/// The supplementary groups of a request's client; empty if they are unknown, as for a process in another namespace.
func supplementaryGroups(_ request: fuse_req_t?) -> [gid_t] {
  var groups = [gid_t](repeating: 0, count: 64)
  var count = unsafe fuse_req_getgroups(request, CInt(groups.count), &groups)
  if count > groups.count {
    groups = [gid_t](repeating: 0, count: Int(count))
    count = unsafe fuse_req_getgroups(request, count, &groups)
  }
  return Array(groups.prefix(max(0, Int(count))))
}

extension OpenFlags {
  init(open flags: CInt) {
    self = []
    if flags & O_ACCMODE != O_RDONLY { insert(.write) }
    if flags & O_TRUNC != 0 { insert(.truncate) }
    if flags & O_EXCL != 0 { insert(.exclusive) }
  }
}

extension AttributeChanges {
  /// The changes that a request asks for: the fields of `status` whose bits are in `which`.
  init(_ status: stat, which: CInt, caller: Caller) {
    self.init(caller: caller)
    if which & FUSE_SET_ATTR_MODE != 0 { mode = status.st_mode }
    if which & FUSE_SET_ATTR_UID != 0 { owner = status.st_uid }
    if which & FUSE_SET_ATTR_GID != 0 { group = status.st_gid }
    if which & FUSE_SET_ATTR_SIZE != 0 { size = Int64(status.st_size) }
    if which & FUSE_SET_ATTR_ATIME != 0 { accessed = .at(Timestamp(status.st_atim)) }
    if which & FUSE_SET_ATTR_MTIME != 0 { modified = .at(Timestamp(status.st_mtim)) }
    if which & FUSE_SET_ATTR_ATIME_NOW != 0 { accessed = .now }
    if which & FUSE_SET_ATTR_MTIME_NOW != 0 { modified = .now }
    if which & FUSE_SET_ATTR_CTIME != 0 { changed = Timestamp(status.st_ctim) }
  }
}

extension statvfs {
  /// The free room in the form for the kernel.
  init(_ statistics: Statistics) {
    self.init()
    f_bsize = UInt(statistics.blockSize)
    f_frsize = UInt(statistics.blockSize)
    f_blocks = UInt(statistics.blocks)
    f_bfree = UInt(statistics.freeBlocks)
    f_bavail = UInt(statistics.availableBlocks)
    f_files = UInt(statistics.files)
    f_ffree = UInt(statistics.freeFiles)
    f_favail = UInt(statistics.freeFiles)
    f_namemax = UInt(statistics.maximumNameLength)
  }
}
