internal import CMount
internal import Glibc
internal import System

/// Extended attributes of the root directory that `Unmount` and `SpaceProof` read. They are never listed. Linux lets everybody read
/// names that begin with `system.`, whatever the mode of the directory.
enum DaemonAttribute: String {
  /// Which process serves the mount. `RootDirectory.server` of agonyfs-web has the same name.
  case identity = "system.agonyfs.daemon"
  /// The same. It also announces that the mount is about to be detached and that its open files are to end first. Only
  /// the daemon's user and root may read it.
  case lazy = "system.agonyfs.daemon.lazy"
  /// The same. It also asks that the host keeps nothing of the vault's files in memory once the mount has ended. The same
  /// users may read it.
  case evicting = "system.agonyfs.daemon.evicting"
  /// Which space it is, for who has opened that space, too: see `SpaceProof`. The same users may read it.
  case space = "system.agonyfs.daemon.space"

  /// The attribute with this name, which has no NUL; nil for all other names.
  init?(_ name: [UInt8]) {
    self.init(rawValue: String(decoding: name, as: UTF8.self))
  }
}

/// Which process serves a mount, and in which mount namespace.
struct DaemonIdentity: Sendable, Equatable {
  /// The process ID.
  let process: Int32
  /// Its start time, in clock ticks since boot. It tells the process from a later one with the same ID.
  let started: UInt64
  /// The inode number of its mount namespace; 0 if there is no /proc.
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

  var isRunning: Bool { Self.startOf(process) == started }

  /// Whether the process is in another mount namespace than the calling one.
  var isElsewhere: Bool {
    let own = Self.current().namespace
    return namespace != 0 && own != 0 && namespace != own
  }

  /// The start time of a process; nil if there is none.
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

// In an extension, so that the compiler writes the other initializer.
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
