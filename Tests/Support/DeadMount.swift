internal import Glibc
internal import System
internal import SystemPackage

/// A mount over a file whose program has ended, which only root can make: the status of the file cannot be read
/// (ENOTCONN). It is gone with the object.
package final class DeadMount {
  private let path: String

  /// Mounts over an existing file.
  package init(over path: String) throws {
    self.path = path
    let device = try Descriptor.open("/dev/fuse", O_RDWR)
    let options = "fd=\(device.number),rootmode=100000,user_id=0,group_id=0"
    try systemCall { unsafe mount("none", path, "fuse", 0, options) }
    // The program ends here.
    withExtendedLifetime(device) {}
  }

  deinit { unsafe umount2(path, CInt(MNT_DETACH)) }
}
