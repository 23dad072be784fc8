// Invariants:
// 1. A session's mounts are told by the device number of its file system, not by a path: a mount may be moved, be bound
//    to a second place, or have something mounted over it, and is a mount of ours all the same. They have left their
//    place when none is left in this process's mount namespace. Copies in other mount namespaces don't count.
// 2. The number is ours for as long as the connection to the kernel is open, and may be another mount's right after.

internal import Glibc
internal import System

/// The mounts of one session in this process's mount namespace.
struct OwnMounts {
  /// What the kernel's table of mounts says of them.
  enum Standing {
    /// There is at least one.
    case mounted
    /// There is none.
    case left
    /// The table cannot be read, or the connection is closed.
    case unknown
  }

  /// Major and minor number of the file system; nil where the table of mounts cannot be read.
  private let device: String?
  /// The descriptor of the connection to the kernel.
  private let connection: CInt

  /// The mounts of the file system that was just mounted there.
  init(_ point: MountPoint, connection: CInt) {
    device = MountTable.current().entry(at: Array(point.path.utf8))?.device
    self.connection = connection
  }

  /// How it stands now.
  var standing: Standing {
    let table = MountTable.current()
    guard let device, !table.entries.isEmpty else { return .unknown }
    guard table.entries.contains(where: { $0.device == device }) else { return .left }
    // Looked at after the table: it was open when the table was read.
    var interest = pollfd(fd: connection, events: 0, revents: 0)
    return unsafe poll(&interest, 1, 0) == 0 ? .mounted : .unknown
  }

  /// Takes all away if nobody uses them; the kernel writes back what it holds first. False when somebody does.
  func unmount() -> Bool {
    guard let device, standing == .mounted else { return false }
    return MountTable.current().places(of: device).allSatisfy { MountRemoval.remove($0, isLazy: false) == .done }
  }

  /// Takes all out of the tree of directories, whoever uses them. They must be mounted still.
  func detach() {
    guard let device else { return }
    for place in MountTable.current().places(of: device) { _ = MountRemoval.remove(place, isLazy: true) }
  }

  /// Lets the kernel read ahead by whole requests instead of 128 KiB. Only root may, and it is no loss otherwise.
  func readAhead() {
    guard let device else { return }
    let setting = try? Descriptor.open("/sys/class/bdi/\(device)/read_ahead_kb", O_WRONLY)
    try? setting?.writeAll(Array("\(SessionLimits.readAheadKibibytes)\n".utf8))
  }
}
