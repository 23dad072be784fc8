internal import Glibc
internal import Identity
internal import WebAccess

/// A mounted space. Only `Spaces` changes it.
final class SpaceMount: Sendable {
  /// Its mount point (`HostPath`).
  let path: String
  /// Whether this program mounted it, and unmounts it.
  let isOwn: Bool
  /// Its open root directory, so that a later mount at the same path is not mistaken for it.
  let root: CInt
  /// The number of its device, which no other mount can have as long as `root` is open.
  let device: UInt64?

  /// - Throws: `Failure` if there is no directory at the path, or if this program's mount is gone.
  init(at path: String, isOwn: Bool) throws {
    (self.path, self.isOwn) = (path, isOwn)
    root = HostPath.openDirectory(path)
    device = RootDirectory.device(of: root)
    guard root >= 0 else { throw Failure("The space at \(OneLine.safe(path)) cannot be opened.") }
    // Otherwise the path leads only to the directory that was created for the mount.
    guard !isOwn || device != RootDirectory.device(of: path + "/..") else {
      throw Failure("The space at \(OneLine.safe(path)) is not mounted any more.")
    }
  }

  deinit { close(root) }

  /// A new descriptor of the root directory, which the caller closes.
  func openRoot() throws -> CInt {
    let descriptor = unsafe openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("The space at \(OneLine.safe(path)) is not mounted any more.") }
    return descriptor
  }
}
