internal import Glibc
internal import QuickUnlock
internal import System
internal import SystemPackage

/// The helper that talks to keyrings, tokens and TPMs, a program in the same directory as this one. The libraries for
/// that are never loaded into this process.
enum UnlockProgram {
  /// Starts the helper for one request.
  ///
  /// - Throws: `CommandFailure` if it cannot be started or does not answer.
  static func ask(_ request: UnlockRequest) throws -> UnlockReply {
    // The helper may end before it has read the request; then there is no answer.
    signal(SIGPIPE, SIG_IGN)
    let path = OwnFolder.path(of: "agonyfs-unlock")
    let (process, answer) = try CommandFailure.doing("starting \(path)") { () throws(Errno) in
      try start(path, request)
    }
    if request.method == .keyring, isSilent(answer) { _ = waitingNote }
    let reply = Result {
      let first = try UnlockReply(from: answer)
      guard first.status == .touch else { return first }
      Output.note(request.operation == .make ? "Touch the token when it blinks, twice." : "Touch the token.")
      return try UnlockReply(from: answer)
    }
    let ending = process.wait()
    switch (reply, ending) {
    case (.success(let reply), .exited(0)): return reply
    case (_, .killed(SIGALRM)): throw CommandFailure(.failure, "The question was not answered in time; try again.")
    default: throw CommandFailure(.failure, "\(path) \(ending.text) without an answer.")
    }
  }

  /// Printed at its first use, so only once.
  private static let waitingNote: Void = Output.note(
    "Waiting for the keyring: unlock it in its own window, or press Ctrl-C. To type the password instead, use agonyfs "
      + "mount --ask.")

  /// Whether no answer arrives for two seconds.
  private static func isSilent(_ answer: Descriptor) -> Bool {
    var waited = pollfd(fd: answer.number, events: Int16(POLLIN), revents: 0)
    return (try? systemCall { unsafe poll(&waited, 1, 2000) }) == 0
  }

  /// Starts the helper and sends the request. On return, its ends of the pipes are open only in it.
  private static func start(
    _ path: String, _ request: UnlockRequest
  ) throws(Errno) -> (process: ChildProcess, answer: Descriptor) {
    let question = try Descriptor.pipe()
    let answer = try Descriptor.pipe()
    // Its standard error is discarded, because the libraries write messages there.
    let process = try ChildProcess(
      path, arguments: ["agonyfs-unlock"], descriptors: [question.reading, answer.writing, nil])
    try? request.send(to: question.writing)
    return (process, answer.reading)
  }
}
