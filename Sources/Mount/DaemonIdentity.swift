internal import CMount
internal import Glibc
internal import System

/// Extended attributes of the root directory that `Unmount` and `SpaceProof` read. They are never listed. Linux lets
/// all users read names that begin with `system.`, whatever the directory's mode.
enum DaemonAttribute: String {
  /// The process that serves the mount. `RootDirectory.server` of agonyfs-web has the same name.
  case identity = "system.agonyfs.daemon"
  /// The serving process as well. Reading it also announces that the mount is about to be detached and that open files
  /// may end first. Only the daemon's user and root may read it.
  case lazy = "system.agonyfs.daemon.lazy"
  /// The serving process as well. Reading it also asks that no data of the vault's files stays in the host's memory
  /// after the mount has ended. Only the daemon's user and root may read it.
  case evicting = "system.agonyfs.daemon.evicting"
  /// Proves which space is mounted, to a process that has opened the same space: see `SpaceProof`. Only the daemon's
  /// user and root may read it.
  case space = "system.agonyfs.daemon.space"

  /// The attribute with this name, given without a NUL; nil for all other names.
  init?(_ name: [UInt8]) {
    self.init(rawValue: String(decoding: name, as: UTF8.self))
  }
}

/// The process that serves a mount, and its mount namespace.
struct DaemonIdentity: Sendable, Equatable {
  /// The process ID.
  let process: Int32
  /// Its start time, in clock ticks since boot. It distinguishes the process from a later one with the same ID.
  let started: UInt64
  /// The inode number of its mount namespace; 0 without /proc.
  let namespace: UInt64

  /// The calling process.
  static func current() -> DaemonIdentity {
    let process = getpid()
    var status = stat()
    let namespace = unsafe stat("/proc/self/ns/mnt", &status) == 0 ? UInt64(status.st_ino) : 0
    return DaemonIdentity(process: process, started: startOf(process) ?? 0, namespace: namespace)
  }

  /// The attribute's value.
  var text: [UInt8] { Array("\(process) \(started) \(namespace)".utf8) }

  var isRunning: Bool { Self.startOf(process) == started }

  /// Whether the process is in another mount namespace than the calling one.
  var isElsewhere: Bool {
    let own = Self.current().namespace
    return namespace != 0 && own != 0 && namespace != own
  }

  /// The start time of a process; nil if it does not run.
  private static func startOf(_ process: Int32) -> UInt64? {
    guard let line = try? WholeFile.read("/proc/\(process)/stat"),
      // The second field is the program name in parentheses and may contain anything.
      let end = line.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = line[line.index(after: end)...].split(separator: UInt8(ascii: " "))
    // Field 22 of proc(5); the first one after the name is field 3.
    return fields.count > 19 ? UInt64(String(decoding: fields[19], as: UTF8.self)) : nil
  }
}

// In an extension, so that the memberwise initializer stays.
extension DaemonIdentity {
  /// Parses what `text` wrote; nil for anything else.
  init?(text: [UInt8]) {
    let numbers = String(decoding: text, as: UTF8.self).split(separator: " ")
    guard numbers.count == 3, let process = Int32(numbers[0]), process > 0, let started = UInt64(numbers[1]),
      let namespace = UInt64(numbers[2])
    else { return nil }
    self.init(process: process, started: started, namespace: namespace)
  }
}
