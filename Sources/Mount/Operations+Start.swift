internal import CMount

extension fuse_lowlevel_ops {
  /// Adds the callback that negotiates the protocol with the kernel.
  mutating func addStartCallbacks() {
    unsafe self.`init` = { _, connection in
      guard let connection = unsafe connection else { return }
      unsafe connection.pointee.max_write = UInt32(SessionLimits.maximumWrite)
      // Must equal the mount option.
      unsafe connection.pointee.max_read = UInt32(SessionLimits.maximumRead)
      unsafe connection.pointee.max_background = SessionLimits.background
      unsafe connection.pointee.congestion_threshold = SessionLimits.congestion
      unsafe connection.pointee.time_gran = 1
      let wanted = unsafe (connection.pointee.want | SessionFlags.wanted) & ~SessionFlags.unwanted
      unsafe connection.pointee.want = wanted & connection.pointee.capable
    }
  }
}

/// Capabilities to use and to decline.
private enum SessionFlags {
  // EXPLICIT_INVAL_DATA: pages stay cached when times change, because only the kernel changes files. DONT_MASK: with
  // access control lists, whether the umask applies depends on the directory. EXPORT_SUPPORT: "." and ".." can be
  // looked up, so file handles work after the kernel has forgotten the inodes.
  static let wanted =
    UInt32(FUSE_CAP_ASYNC_READ) | UInt32(FUSE_CAP_ATOMIC_O_TRUNC) | UInt32(FUSE_CAP_DONT_MASK)
    | UInt32(FUSE_CAP_POSIX_ACL) | UInt32(FUSE_CAP_PARALLEL_DIROPS)
    | UInt32(FUSE_CAP_READDIRPLUS) | UInt32(FUSE_CAP_CACHE_SYMLINKS)
    | UInt32(FUSE_CAP_EXPLICIT_INVAL_DATA) | UInt32(FUSE_CAP_EXPORT_SUPPORT)

  // SPLICE: decrypted data is in memory, not in a pipe. AUTO_INVAL_DATA: see above. WRITEBACK_CACHE: write(2) must
  // report a full disk. HANDLE_KILLPRIV: its second version replaces it (CMount/channel.c). ASYNC_DIO: after an
  // asynchronous write with O_DIRECT the kernel keeps stale pages (xfstests generic/451). READDIRPLUS_AUTO: programs
  // read all names before they look at the first file; the kernel would then get attributes only with the first part of
  // a long listing and ask for all others one by one.
  static let unwanted =
    UInt32(FUSE_CAP_SPLICE_READ) | UInt32(FUSE_CAP_SPLICE_WRITE) | UInt32(FUSE_CAP_SPLICE_MOVE)
    | UInt32(FUSE_CAP_AUTO_INVAL_DATA) | UInt32(FUSE_CAP_WRITEBACK_CACHE) | UInt32(FUSE_CAP_HANDLE_KILLPRIV)
    | UInt32(FUSE_CAP_ASYNC_DIO) | UInt32(FUSE_CAP_READDIRPLUS_AUTO)
}
