internal import CPlatform
internal import Glibc

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
