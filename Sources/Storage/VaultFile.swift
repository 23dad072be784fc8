// Invariants
// 1. Nothing in a vault shows when it was read: every open is one that leaves no access time. Everything complete has
//    one constant time as access and modification time, and directories have it after every change. So no time shows
//    which files were used.
// 2. Only regular files are read or written, and no symbolic link inside the vault is followed. Opening anything else
//    fails at once; it does not wait for the other end of a FIFO.

internal import CPlatform
internal import Glibc
internal import System
package import SystemPackage

/// How files and directories of a vault are opened and dated.
enum VaultFile {
  /// Errors of opening something other than a regular file: a symbolic link, a socket or a FIFO without a reader, a
  /// directory, a device without a driver.
  private static let errorsOfOthers: [Errno] = [
    .tooManySymbolicLinkLevels, .noSuchAddressOrDevice, .isDirectory, .operationNotSupportedByDevice,
  ]

  /// Opens an existing regular file.
  ///
  /// - Throws: `.noSuchFileOrDirectory`, `.notRegularFile`.
  static func open(_ path: String, in directory: Descriptor, _ flags: CInt) throws(Errno) -> Descriptor {
    let file: Descriptor
    do throws(Errno) {
      file = try Descriptor.openQuietly(path, in: directory, flags | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      throw errorsOfOthers.contains(error) ? .notRegularFile : error
    }
    guard try file.status().st_mode & S_IFMT == S_IFREG else { throw .notRegularFile }
    return file
  }

  /// Opens a directory, to list it or to flush its names.
  ///
  /// - Throws: `.notDirectory`, also for a symbolic link.
  static func openDirectory(_ path: String, in directory: Descriptor) throws(Errno) -> Descriptor {
    try Descriptor.openQuietly(path, in: directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  /// Gives an open file the constant time.
  static func setTimes(of file: Descriptor) throws(Errno) {
    let times = constantTimes
    try systemCall { unsafe futimens(file.number, times) }
  }

  /// Gives a directory, which may be opened only as a starting point for paths, the constant time.
  static func setTimes(ofDirectory opened: Descriptor) throws(Errno) {
    let times = constantTimes
    try systemCall { unsafe utimensat(opened.number, ".", times, AT_SYMLINK_NOFOLLOW) }
  }

  /// Whether a time is the constant one.
  static func isConstant(_ time: timespec) -> Bool {
    time.tv_sec == DirectoryStorage.completeTime && time.tv_nsec == 0
  }

  private static var constantTimes: [timespec] {
    [timespec](repeating: timespec(tv_sec: DirectoryStorage.completeTime, tv_nsec: 0), count: 2)
  }
}

extension Errno {
  /// Something other than a regular file is where a file of the vault should be (EMEDIUMTYPE).
  package static var notRegularFile: Errno { Errno(rawValue: Glibc.EMEDIUMTYPE) }
}
