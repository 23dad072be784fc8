internal import Glibc
internal import Identity
internal import WebAccess

/// A mounted space. `Spaces` alone changes it.
final class SpaceMount: Sendable {
  /// Where it is mounted (`HostPath`).
  let path: String
  /// Whether this program mounted it, and takes it away.
  let isOwn: Bool
  /// Its root directory. So nothing that is mounted at the path later is taken for it.
  let root: CInt
  /// The number of its device, which no other mount has as long as `root` is open.
  let device: UInt64?

  /// - Throws: `Failure` if there is no directory at the path.
  init(at path: String, isOwn: Bool) throws {
    (self.path, self.isOwn) = (path, isOwn)
    root = HostPath.openDirectory(path)
    device = RootDirectory.device(of: root)
    guard root >= 0 else { throw Failure("The space at \(OneLine.safe(path)) cannot be opened.") }
    // Else it is the bare directory that was made for the mount.
    guard !isOwn || device != RootDirectory.device(of: path + "/..") else {
      throw Failure("The space at \(OneLine.safe(path)) is not mounted any more.")
    }
  }

  deinit { close(root) }

  /// A descriptor of the root directory, for who closes it.
  func openRoot() throws -> CInt {
    let descriptor = unsafe openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("The space at \(OneLine.safe(path)) is not mounted any more.") }
    return descriptor
  }
}
