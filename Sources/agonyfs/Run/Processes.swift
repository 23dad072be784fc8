internal import Glibc
internal import System
internal import SystemPackage

/// The processes of this machine, as /proc lists them.
enum Processes {
  /// Their numbers.
  static var numbers: [pid_t] {
    let names = (try? Directory.names(in: "/proc")) ?? []
    return names.compactMap { pid_t(String(decoding: $0, as: UTF8.self)) }
  }

  /// The arguments of a process, the program's name first; empty if it has ended.
  static func words(of process: pid_t) -> [String] {
    let line = (try? WholeFile.read("/proc/\(process)/cmdline")) ?? []
    return line.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether the calling user runs a process.
  static func isOwn(_ process: pid_t) -> Bool {
    guard let status = try? WholeFile.read("/proc/\(process)/status") else { return false }
    // The line has the real, effective, saved and file system's user. The owner of the files in /proc is root.
    let users = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Uid:") }
    return users?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { uid_t($0) } == geteuid()
  }
}

/// The servers of `agonyfs serve` that the calling user runs.
enum RunningServers {
  /// The processes of those that mount a space for its password.
  static var ofVaults: [pid_t] {
    Processes.numbers.filter { servesVault(Processes.words(of: $0)) && Processes.isOwn($0) }
  }

  /// Whether arguments are those of a server of a vault. A server of a mounted space, as `choose` starts it too, mounts
  /// nothing.
  static func servesVault(_ words: [String]) -> Bool {
    words.first == "agonyfs-web" && words.contains("--vault") && !words.contains("--mount")
  }
}
