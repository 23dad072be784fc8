internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// The private sessions of the caller's user. No table of mounts has their mounts, which are in namespaces of their own.
struct RunningSessions {
  /// Can be read when the processes that serve them have ended.
  private let ends: [Descriptor]

  /// Whether there was none.
  var isEmpty: Bool { ends.isEmpty }

  /// Asks all of them to end their mounts: everything is written, and programs get errors.
  static func askToEnd() -> RunningSessions {
    let names = (try? Directory.names(in: "/proc")) ?? []
    let processes = names.compactMap { pid_t(String(decoding: $0, as: UTF8.self)) }
    return RunningSessions(
      ends: processes.compactMap { process in
        guard serves(process),
          let end = try? Descriptor(systemCall { agonyfs_process_descriptor(process) }),
          // The number may have passed to another process before the descriptor was there.
          serves(process), kill(process, SIGTERM) == 0
        else { return nil }
        return end
      })
  }

  /// Waits until everything is written.
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
    // Real, effective, saved and file system's; the owner of its files in /proc is root.
    let users = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Uid:") }
    return users?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { uid_t($0) } == geteuid()
  }
}
