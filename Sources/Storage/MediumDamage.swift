internal import Glibc
package import SystemPackage

extension Errno {
  /// Whether it says that the medium holds damaged data, so that only some files are concerned: btrfs answers EIO, ext4
  /// and XFS also EUCLEAN and EBADMSG.
  package var isDamageOfMedium: Bool {
    self == .ioError || rawValue == Glibc.EUCLEAN || rawValue == Glibc.EBADMSG
  }
}
