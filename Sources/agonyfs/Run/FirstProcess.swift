internal import CSession
internal import Glibc
internal import System
internal import SystemPackage

/// The first process of a private session's process namespace.
struct FirstProcess {
  let session: PrivateSession
  let isInUserNamespace: Bool
  let mask: sigset_t
  /// The reading end of a pipe whose other end the parent holds.
  let parent: Descriptor

  /// Sets up the session's mounts, runs the program, and exits with its status.
  func run() -> Never {
    agonyfs_end_with_parent()
    // The parent may have ended before that call.
    if parentHasEnded { _exit(ProgramEnding.ownFailure) }
    do throws(SessionView.Failure) {
      guard agonyfs_session_separate_view() == 0 else {
        throw SessionView.Failure(action: "separating the mounts", error: .current)
      }
      var view = SessionView(isInUserNamespace: isInUserNamespace)
      try view.make(session.plan)
    } catch {
      Output.note("The private session could not be made: \(error.action) failed: \(error.error).")
      _exit(ProgramEnding.ownFailure)
    }
    let isUser = isInUserNamespace
    var program = SessionProgram(words: SessionProgram.ofCommandLine(), directory: session.album.bytes)
    program.dropsPrivileges = { agonyfs_session_drop_privileges(isUser) == 0 }
    let listens = session.runtime.map { "unix:path=\($0)/bus" } ?? "unix:dir=/tmp"
    let bare = SessionEnvironment(workingDirectory: session.album, bus: nil)
    bare.apply()
    let bus = SessionBus.start(listensAt: listens, like: program, mask)
    SessionEnvironment(workingDirectory: session.album, bus: bus).apply()
    let child = program.start(mask)
    guard child > 0 else {
      Output.note("The program could not be started: \(Errno.current).")
      _exit(ProgramEnding.ownFailure)
    }
    // A process that can write to the space or to the kept directories must have no more rights than the program.
    if agonyfs_session_drop_privileges(isUser) != 0 { _exit(ProgramEnding.ownFailure) }
    var processes = SessionProcesses(program: child)
    let ending = processes.waitForProgram()
    processes.endOthers()
    _exit(ending.status)
  }

  private var parentHasEnded: Bool {
    var waited = pollfd(fd: parent.number, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&waited, 1, 0) != 0
  }
}
