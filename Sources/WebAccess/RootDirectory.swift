internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// What the kernel says of the root directory of a mount.
public enum RootDirectory {
  /// The number of its device; nil if the mount is gone.
  public static func device(of descriptor: CInt) -> UInt64? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? UInt64(status.st_dev) : nil
  }

  /// The number of the device that a path (`HostPath`) is on; nil if there is nothing.
  public static func device(of path: String) -> UInt64? {
    var status = stat()
    return unsafe stat(HostPath.name(of: path), &status) == 0 ? UInt64(status.st_dev) : nil
  }

  /// Which process serves a mount of agonyfs, as its attribute tells; nil for all else. Blocks until it answers.
  public static func server(of descriptor: CInt) -> [UInt8]? {
    var value = [UInt8](repeating: 0, count: 64)
    let name = "system.agonyfs.daemon"
    let count = unsafe value.withUnsafeMutableBytes { unsafe fgetxattr(descriptor, name, $0.baseAddress, $0.count) }
    return count > 0 ? Array(value[..<count]) : nil
  }

  /// Whether the user of this process made the FUSE mount of a device, as the kernel says. What a mount tells of itself,
  /// another user's may repeat.
  public static func isOfThisUser(_ device: UInt64) -> Bool { isMounted(device, by: geteuid(), in: .current()) }

  static func isMounted(_ device: UInt64, by user: UInt32, in table: MountTable) -> Bool {
    let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
    let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
    return table.entries.contains {
      $0.device == "\(major):\(minor)" && $0.isFuse && $0.number(of: "user_id") == user
    }
  }

  /// Whether what serves the mount answers. Blocks until it does.
  public static func isMounted(_ descriptor: CInt) -> Bool {
    var status = statvfs()
    if unsafe fstatvfs(descriptor, &status) == 0 { return true }
    return ![ENOTCONN, ECONNABORTED, ENODEV, ENXIO, ESTALE].contains(errno)
  }

  /// Whether it is mounted read-only.
  public static func isReadOnly(_ descriptor: CInt) -> Bool {
    var status = statvfs()
    return unsafe fstatvfs(descriptor, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }
}
