// A session has three processes, each the parent of the next: this one, which has the terminal and waits; the first
// process of a process namespace, which sets up the session's mounts; and the program. A fourth serves the mount: see
// `SessionServer`.
//
// 1. The serving process sees the machine's own file systems, so it writes the vault and the record of --remember to
//    their real places, wherever these are.
// 2. The mount ends after all processes of the session have ended: the first process ends with this one, and the kernel
//    kills the others with the first.

internal import CPlatform
internal import CSession
internal import Crypto
internal import Glibc
internal import Synchronization
internal import System
internal import SystemPackage

/// A session that other processes cannot see, and that leaves nothing behind except the files in the space.
struct PrivateSession {
  let request: MountRequest
  let namespaces: SessionNamespaces
  let plan: SessionPlan
  /// Where the session shows the space.
  let album: FilePath
  let runtime: FilePath?

  /// Runs the program to its end; all changes are durable on return.
  ///
  /// - Throws: `CommandFailure` if the program could not be started, or not everything could be written.
  func run(_ password: consuming Password) throws -> ProgramEnding {
    let isUser = !agonyfs_session_is_privileged()
    let server = try SessionServer(request, namespaces)
    let mask: sigset_t
    let first: pid_t
    do {
      try server.mount(password)
      try namespaces.enter()
      namespaces.letGo()
      try systemCall { agonyfs_session_separate_processes() }
      mask = Self.blockSignals()
      first = try start(isUser, mask)
      try server.watch(first)
    } catch let error as Errno {
      throw CommandFailure(error, doing: "entering the session")
    }
    var processes = SessionProcesses(program: first, server: server.process.identifier, endsOthers: true)
    let ending = processes.waitForProgram()
    agonyfs_terminal_take_back()
    try server.finish()
    return ending
  }

  /// Starts the first process, which ends when this one ends.
  private func start(_ isUser: Bool, _ mask: sigset_t) throws(Errno) -> pid_t {
    let alive = try Descriptor.pipe()
    let (reading, number) = (alive.reading, alive.writing.number)
    let process = agonyfs_fork()
    if process == 0 {
      close(number)
      FirstProcess(session: self, isInUserNamespace: isUser, mask: mask, parent: reading).run()
    }
    guard process > 0 else { throw .current }
    Self.held.withLock { $0 = alive.writing }
    return process
  }

  /// The pipe that stays open until this process ends, so that the first process sees the end.
  private static let held = Mutex<Descriptor?>(nil)

  /// Blocks the signals that ask a process to end; returns the previous mask.
  static func blockSignals() -> sigset_t {
    var mask = sigset_t()
    unsafe agonyfs_waiting_signals_block(&mask)
    return mask
  }
}
