internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// The private sessions of the calling user. Their mounts lie in other namespaces, so no table of mounts lists them.
struct RunningSessions {
  /// Process descriptors of the serving processes; each becomes readable when its process has ended.
  private let ends: [Descriptor]

  /// Whether no session was found.
  var isEmpty: Bool { ends.isEmpty }

  /// Asks all of them to unmount: all changes are written, and programs get errors.
  static func askToEnd() -> RunningSessions {
    let names = (try? Directory.names(in: "/proc")) ?? []
    let processes = names.compactMap { pid_t(String(decoding: $0, as: UTF8.self)) }
    return RunningSessions(
      ends: processes.compactMap { process in
        guard serves(process),
          let end = try? Descriptor(systemCall { agonyfs_process_descriptor(process) }),
          // The process number may have been reused before the descriptor was opened.
          serves(process), kill(process, SIGTERM) == 0
        else { return nil }
        return end
      })
  }

  /// Waits until all changes are durable.
  func wait() {
    for end in ends {
      var interest = pollfd(fd: end.number, events: Int16(POLLIN), revents: 0)
      _ = try? systemCall { unsafe poll(&interest, 1, -1) }
    }
  }

  /// Whether a process serves a private session of this user.
  private static func serves(_ process: pid_t) -> Bool {
    guard let line = try? WholeFile.read("/proc/\(process)/cmdline") else { return false }
    let words = line.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    guard words.starts(with: ["agonyfs", "mount"]), words.contains("--session=\(SessionKind.private.rawValue)"),
      words.contains("--as-daemon"), let status = try? WholeFile.read("/proc/\(process)/status")
    else { return false }
    // The line has the real, effective, saved and file system's user. The owner of the files in /proc is root.
    let users = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Uid:") }
    return users?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { uid_t($0) } == geteuid()
  }
}
