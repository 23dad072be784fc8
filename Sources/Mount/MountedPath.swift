internal import CMount
internal import Glibc
internal import System

/// A mount of ours, found again by its device number, since something else may be mounted over it.
struct MountedPath {
  private let path: String
  private let device: String?

  /// The mount that was just made there.
  init(_ point: MountPoint) {
    path = point.path
    device = MountTable.current().entry(at: Array(point.path.utf8))?.device
  }

  /// Whether the mount is the one seen at its path.
  private var isSeen: Bool {
    device != nil && MountTable.current().entry(at: Array(path.utf8))?.device == device
  }

  /// Takes the mount away if nobody uses it; the kernel writes back what it holds first. False when somebody does.
  func unmount() -> Bool {
    isSeen && MountRemoval.remove(path, isLazy: false) == .done
  }

  /// Takes the mount out of the tree of directories, whoever uses it.
  func detach() {
    if isSeen { _ = MountRemoval.remove(path, isLazy: true) }
  }

  /// Has the kernel bring what it holds for writing.
  func writeBack() {
    guard let directory = try? Descriptor.open(path, O_RDONLY | O_DIRECTORY) else { return }
    agonyfs_sync_file_system(directory.number)
  }

  /// Lets the kernel read ahead by whole requests instead of 128 KiB. Only root may, and it is no loss otherwise.
  func readAhead() {
    guard let device else { return }
    let setting = try? Descriptor.open("/sys/class/bdi/\(device)/read_ahead_kb", O_WRONLY)
    try? setting?.writeAll(Array("\(SessionLimits.readAheadKibibytes)\n".utf8))
  }
}
