internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// What the kernel reports about the root directory of a mount.
public enum RootDirectory {
  /// The number of its device; nil if the mount is gone.
  public static func device(of descriptor: CInt) -> UInt64? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? UInt64(status.st_dev) : nil
  }

  /// The number of the device of a path (`HostPath`); nil if the path does not exist.
  public static func device(of path: String) -> UInt64? {
    var status = stat()
    return unsafe stat(HostPath.name(of: path), &status) == 0 ? UInt64(status.st_dev) : nil
  }

  /// The process that serves a mount of agonyfs, from its attribute; nil for any other directory. Blocks until it
  /// answers.
  public static func server(of descriptor: CInt) -> [UInt8]? {
    var value = [UInt8](repeating: 0, count: 64)
    let name = "system.agonyfs.daemon"
    let count = unsafe value.withUnsafeMutableBytes { unsafe fgetxattr(descriptor, name, $0.baseAddress, $0.count) }
    return count > 0 ? Array(value[..<count]) : nil
  }

  /// Whether the user of this process made the FUSE mount of a device, according to the kernel. The attributes of a
  /// mount cannot prove that, because another user's mount could imitate them.
  public static func isOfThisUser(_ device: UInt64) -> Bool { isMounted(device, by: geteuid(), in: .current()) }

  static func isMounted(_ device: UInt64, by user: UInt32, in table: MountTable) -> Bool {
    let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
    let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
    return table.entries.contains {
      $0.device == "\(major):\(minor)" && $0.isFuse && $0.number(of: "user_id") == user
    }
  }

  /// Whether the process that serves the mount is alive. Blocks until it answers.
  public static func isMounted(_ descriptor: CInt) -> Bool {
    var status = statvfs()
    if unsafe fstatvfs(descriptor, &status) == 0 { return true }
    return ![ENOTCONN, ECONNABORTED, ENODEV, ENXIO, ESTALE].contains(errno)
  }

  /// Whether the mount is read-only.
  public static func isReadOnly(_ descriptor: CInt) -> Bool {
    var status = statvfs()
    return unsafe fstatvfs(descriptor, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }
}
