// Processes, each the parent of the next: this one, which has the terminal and waits; the first process of a process
// namespace, which makes what is seen; the program. A fourth one serves the mount: see `SessionServer`.
//
// 1. The process that serves sees the machine as it is. So the vault, and the record of --remember, are written where
//    they are, wherever that is.
// 2. The mount is ended after all processes of the session have ended: the kernel kills them with the first one, and that
//    one ends with this one.

internal import CPlatform
internal import CSession
internal import Crypto
internal import Glibc
internal import Synchronization
internal import System
internal import SystemPackage

/// A session that nobody outside sees, and of which nothing stays but what is in the space.
struct PrivateSession {
  let request: MountRequest
  let namespaces: SessionNamespaces
  let plan: SessionPlan
  /// Where it shows the space.
  let album: FilePath
  let runtime: FilePath?

  /// Runs the program to its end; everything is written on return.
  ///
  /// - Throws: `CommandFailure` if it could not be started, or not everything could be written.
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

  /// Starts the first process; it ends if this one does.
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

  /// Kept open until this process ends.
  private static let held = Mutex<Descriptor?>(nil)

  /// Blocks the signals that ask for an end; returns the mask from before.
  static func blockSignals() -> sigset_t {
    var mask = sigset_t()
    unsafe agonyfs_waiting_signals_block(&mask)
    return mask
  }
}
