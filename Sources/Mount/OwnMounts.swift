// Invariants:
// 1. A session recognises its mounts by the device number of its file system, not by a path: a mount may be moved,
//    bound to a second place, or covered by another mount. The session's mounts have left their place when none is left
//    in this process's mount namespace. Copies in other mount namespaces do not count.
// 2. The number is the session's while the connection to the kernel is open. Right after that it may be another
//    mount's.

internal import Glibc
internal import System

/// The mounts of one session in this process's mount namespace.
struct OwnMounts {
  /// The state of the mounts in the table of mounts.
  enum Standing: Equatable {
    /// At least one is there; its lines.
    case mounted([MountTableEntry])
    /// None is left.
    case left
    /// The table cannot be read, or the connection is closed.
    case unknown
  }

  /// The file system's major and minor number; nil if the table of mounts cannot be read.
  private let device: String?
  /// The descriptor of the connection to the kernel.
  private let connection: CInt

  /// The state right after mounting.
  let first: Standing

  /// Finds the mounts of the file system that was just mounted at a path.
  init(_ point: MountPoint, connection: CInt) {
    let table = MountTable.current()
    // Another mount may have covered it in the meantime.
    let device = table.entry(at: point.path).flatMap { $0.isFuse ? $0.device : nil }
    first = device == nil ? .unknown : .mounted(table.entries.filter { $0.device == device })
    self.device = device
    self.connection = connection
  }

  /// The lines of the table with the device number; they are the session's while the connection is open.
  var entries: [MountTableEntry] { MountTable.current().entries.filter { $0.device == device } }

  var standing: Standing {
    let table = MountTable.current()
    guard let device, !table.entries.isEmpty else { return .unknown }
    let own = table.entries.filter { $0.device == device }
    guard !own.isEmpty else { return .left }
    // Checked after the table was read, which proves that the connection was open at that time.
    var interest = pollfd(fd: connection, events: 0, revents: 0)
    return unsafe poll(&interest, 1, 0) == 0 ? .mounted(own) : .unknown
  }

  var areMounted: Bool { if case .mounted = standing { true } else { false } }

  /// Removes all mounts if they are unused; the kernel first writes back its dirty data. False if one is in use.
  func unmount() -> Bool {
    guard let device, areMounted else { return false }
    return MountTable.current().places(of: device).allSatisfy { MountRemoval.remove($0, isLazy: false) == .done }
  }

  /// Detaches all mounts even if they are in use. Call it only while they are mounted.
  func detach() {
    guard let device else { return }
    for place in MountTable.current().places(of: device) { _ = MountRemoval.remove(place, isLazy: true) }
  }

  /// Makes the kernel read ahead in whole requests instead of 128 KiB. Only root may set this, and it is optional.
  func readAhead() {
    guard let device else { return }
    let setting = try? Descriptor.open("/sys/class/bdi/\(device)/read_ahead_kb", O_WRONLY)
    try? setting?.writeAll(Array("\(SessionLimits.readAheadKibibytes)\n".utf8))
  }
}
