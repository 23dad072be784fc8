internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// The private sessions of the calling user. Their mounts lie in other namespaces, so no table of mounts lists them.
struct RunningSessions {
  /// Process descriptors of the serving processes; each becomes readable when its process has ended.
  private let ends: [Descriptor]

  /// How many sessions were found.
  var count: Int { ends.count }

  /// Asks all of them to unmount: all changes are written, and programs get errors.
  static func askToEnd() -> RunningSessions {
    RunningSessions(
      ends: Processes.numbers.compactMap { process in
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
    let words = Processes.words(of: process)
    return words.starts(with: ["agonyfs", "mount"]) && words.contains("--session=\(SessionKind.private.rawValue)")
      && words.contains("--as-daemon") && Processes.isOwn(process)
  }
}
