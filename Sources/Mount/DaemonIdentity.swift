internal import CMount
internal import Glibc
internal import System

/// The extended attributes of the root directory that `Unmount` asks for. They are never listed. Linux lets everybody ask
/// for names that begin with `system.`, whatever the directory's mode is.
enum DaemonAttribute: String {
  /// Which process serves the mount.
  case identity = "system.agonyfs.daemon"
  /// The same; and the mount is about to be detached so that its open files end first. Only for the daemon's user and
  /// root.
  case lazy = "system.agonyfs.daemon.lazy"

  /// The attribute of a name, without the NUL; nil for all others.
  init?(_ name: [UInt8]) {
    guard name.starts(with: Self.prefix) else { return nil }
    self.init(rawValue: String(decoding: name, as: UTF8.self))
  }

  private static let prefix = Array("system.agonyfs.".utf8)
}

/// Which process serves a mount, and in which mount namespace.
struct DaemonIdentity: Sendable, Equatable {
  /// The number of the process.
  let process: Int32
  /// When it was started, in the kernel's own unit, so that a later process with the same number is not mistaken for
  /// it.
  let started: UInt64
  /// The inode number of its mount namespace; 0 where there is no /proc.
  let namespace: UInt64

  /// The calling process.
  static func current() -> DaemonIdentity {
    let process = getpid()
    var status = stat()
    let namespace = unsafe stat("/proc/self/ns/mnt", &status) == 0 ? UInt64(status.st_ino) : 0
    return DaemonIdentity(process: process, started: startOf(process) ?? 0, namespace: namespace)
  }

  /// The value of the attribute.
  var text: [UInt8] { Array("\(process) \(started) \(namespace)".utf8) }

  init(process: Int32, started: UInt64, namespace: UInt64) {
    self.process = process
    self.started = started
    self.namespace = namespace
  }

  /// Reads what `text` wrote; nil for anything else.
  init?(text: [UInt8]) {
    let numbers = String(decoding: text, as: UTF8.self).split(separator: " ")
    guard numbers.count == 3, let process = Int32(numbers[0]), process > 0, let started = UInt64(numbers[1]),
      let namespace = UInt64(numbers[2])
    else { return nil }
    self.init(process: process, started: started, namespace: namespace)
  }

  /// Whether the process still runs.
  var isRunning: Bool { Self.startOf(process) == started }

  /// Whether the process sees other mounts than the calling one.
  var isElsewhere: Bool {
    let own = Self.current().namespace
    return namespace != 0 && own != 0 && namespace != own
  }

  /// When a process was started; nil when there is none.
  private static func startOf(_ process: Int32) -> UInt64? {
    guard let line = try? WholeFile.read("/proc/\(process)/stat"),
      // The second field is the program's name in parentheses, and may hold anything.
      let end = line.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = line[line.index(after: end)...].split(separator: UInt8(ascii: " "))
    // Field 22 of proc(5); the first one after the name is field 3.
    return fields.count > 19 ? UInt64(String(decoding: fields[19], as: UTF8.self)) : nil
  }
}
