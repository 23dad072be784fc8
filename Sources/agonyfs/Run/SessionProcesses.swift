internal import CSession
internal import Glibc
internal import System

/// Waits for the program of a session and ends its leftovers, in the process that is the parent of all of them.
struct SessionProcesses {
  /// How long, in nanoseconds, the program may take after it was asked to end, and then the processes that it leaves.
  private static let patience: UInt64 = 10_000_000_000
  private static let patienceWithOthers: UInt64 = 2_000_000_000
  /// How long the kernel may take to end killed processes. Processes of other users cannot be killed.
  private static let patienceWithKilled: UInt64 = 5_000_000_000

  /// The program, or the process that waits for it.
  let program: pid_t
  /// The process that serves the mount, if it is a child of this one.
  let server: pid_t?
  private let patience: UInt64
  private var deadline: UInt64?

  /// - Parameter endsOthers: whether that process calls `endOthers()` at its end, which takes longer.
  init(program: pid_t, server: pid_t? = nil, endsOthers: Bool = false) {
    (self.program, self.server) = (program, server)
    patience = Self.patience + (endsOthers ? Self.patienceWithOthers + Self.patienceWithKilled + 1_000_000_000 : 0)
  }

  /// Waits for the program to end. Passes on signals that ask for an end, and kills the program if it still runs ten
  /// seconds later.
  ///
  /// - Returns: how the program ended.
  mutating func waitForProgram() -> ProgramEnding {
    while true {
      let signal = agonyfs_waiting_signals_take(deadline == nil ? 60_000 : 500)
      if let ending = reap() { return ending }
      switch signal.number {
      case 0, SIGCHLD: break
      // A terminal sends these to the program as well; only those of a process are passed on.
      case SIGINT, SIGQUIT: if signal.is_from_process { kill(program, signal.number) }
      case SIGTERM, SIGHUP:
        kill(program, signal.number)
        deadline = deadline ?? monotonicTime() + patience
      default: kill(program, signal.number)
      }
      if let deadline, monotonicTime() >= deadline { kill(program, SIGKILL) }
    }
  }

  /// Reaps ended children except the serving process; returns the program's ending.
  private func reap() -> ProgramEnding? {
    var status: CInt = 0
    if unsafe waitpid(program, &status, WNOHANG) == program { return ProgramEnding(waited: status) }
    for child in Self.children() where child != program && child != server { waitpid(child, nil, WNOHANG) }
    return nil
  }

  /// Ends all other children and their children, except the serving process: sends SIGTERM, and after two seconds
  /// SIGKILL.
  func endOthers() {
    let deadline = monotonicTime() + Self.patienceWithOthers
    var asked = Set<pid_t>()
    while true {
      let others = Self.children().filter { $0 != server }
      if others.isEmpty || monotonicTime() >= deadline + Self.patienceWithKilled { return }
      let isLate = monotonicTime() >= deadline
      for child in others {
        if isLate {
          kill(child, SIGKILL)
        } else if asked.insert(child).inserted {
          kill(child, SIGTERM)
          kill(child, SIGCONT)
        }
        waitpid(child, nil, WNOHANG)
      }
      usleep(5_000)
    }
  }

  /// The children of this process, from /proc.
  private static func children() -> [pid_t] {
    let text = (try? WholeFile.read("/proc/self/task/\(getpid())/children")) ?? []
    return text.split(separator: UInt8(ascii: " ")).compactMap { pid_t(String(decoding: $0, as: UTF8.self)) }
  }
}
