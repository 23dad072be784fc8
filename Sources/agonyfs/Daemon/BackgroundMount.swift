// Two processes: the caller, which has the terminal and asked for the password, and the background process, which
// serves the mount. The latter is spawned, because a fork does not inherit memory locks. Its arguments hold no
// password.
//
// 1. The password goes through a pipe (descriptor 3 of the background process).
// 2. The background process answers through another pipe (descriptor 4): one byte with its exit status, then a sentence
//    if the status is not 0. Status 0 means that the mount is ready. If the pipe ends without a byte, the process has
//    ended.
// 3. The directory to mount at comes as descriptor 5: by now its path may lead to another directory.
// 4. Until its answer, the background process may write to the caller's standard output and standard error. Afterwards
//    it has no terminal.
// 5. If the caller ends before the mount is ready, the background process unmounts and ends: the caller's user would
//    not know of the mount.
// 6. Until its answer, the background process is in the caller's process group. An automount blocks all processes at
//    its directory until something is mounted there, except those of one group (autofs: the group that serves it). Keys
//    at the terminal that end or stop a process affect only the caller during that time.

internal import ArgumentParser
internal import Crypto
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage

enum BackgroundMount {
  private static let passwordDescriptor: CInt = 3
  private static let statusDescriptor: CInt = 4
  private static let mountPointDescriptor: CInt = 5

  /// Mounts in a new process; returns when the mount is ready.
  ///
  /// - Throws: the failure of the new process.
  static func start(_ request: MountRequest, password: Password) throws {
    // The background process may end before it has read the password; its status says why.
    signal(SIGPIPE, SIG_IGN)
    let (process, answer) = try CommandFailure.doing("starting the background process") { () throws(Errno) in
      try launch(request, password)
    }
    if let failure = failure(in: readAnswer(answer), of: process) { throw failure }
  }

  /// Starts the process and sends the password. On return, its ends of the pipes are open only in it.
  private static func launch(
    _ request: MountRequest, _ password: Password
  ) throws(Errno) -> (process: ChildProcess, answer: Descriptor) {
    let secret = try Descriptor.pipe()
    let answer = try Descriptor.pipe()
    let process = try ChildProcess(
      "/proc/self/exe", words: request.arguments,
      descriptors: [nil, .standardOutput, .standardError, secret.reading, answer.writing, request.directory])
    try? unsafe password.bytes.withUnsafeBytes { try unsafe secret.writing.writeAll($0) }
    return (process, answer.reading)
  }

  /// The failure in the answer; nil if the mount is ready.
  private static func failure(in answer: [UInt8], of process: ChildProcess) -> CommandFailure? {
    if let first = answer.first {
      guard first != 0 else { return nil }
      return CommandFailure(
        CommandStatus(rawValue: Int32(first)) ?? .failure, String(decoding: answer.dropFirst(), as: UTF8.self))
    }
    return CommandFailure(
      .failure, "The background process \(process.wait().text) before the mount was ready; --foreground shows more.")
  }

  /// Reads to the end of the pipe, or to the byte for success.
  private static func readAnswer(_ status: Descriptor) -> [UInt8] {
    var answer: [UInt8] = []
    while answer != [0], let more = try? status.readSome(most: 512), !more.isEmpty { answer += more }
    return answer
  }

  /// Runs in the background process: serves the mount and answers the caller.
  ///
  /// - Throws: only the exit status. The failure goes to the caller or, once the mount was ready, to the log.
  static func serve(_ request: MountRequest) throws {
    var request = request
    request.directory = Descriptor(mountPointDescriptor)
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGHUP] + stoppingSignals { signal(number, SIG_IGN) }
    unsafe chdir("/")
    let caller = WaitingCaller(status: Descriptor(statusDescriptor))
    do {
      try MountServer(request: request).serveAndTidy(SecretLine.passed(through: passwordDescriptor)) {
        caller.mountAnswers()
      }
    } catch {
      let failure = CommandFailure(any: error, vault: request.vault) ?? CommandFailure(.failure, "\(error)")
      if caller.isWaiting { caller.give(failure) } else { MountServer.log(failure) }
      throw ExitCode(failure.status.rawValue)
    }
  }

  /// The signals that a terminal sends to a whole group, except SIGINT and SIGHUP, which the session catches.
  fileprivate static let stoppingSignals = [SIGQUIT, SIGTSTP]
}

/// The process that waits for the mount, as seen by the process that serves it.
private final class WaitingCaller {
  private var status: Descriptor?
  var isWaiting: Bool { status != nil }

  init(status: Descriptor) { self.status = status }

  /// Answers that the mount is ready and gives up the terminal. If the caller has ended, ends the mount.
  func mountAnswers() {
    // From here on this process outlives the terminal.
    setsid()
    for number in BackgroundMount.stoppingSignals { signal(number, SIG_DFL) }
    guard answer([0]) else {
      kill(getpid(), SIGTERM)
      return
    }
    SystemLogHandler.sendToSystemLog()
    Descriptor.standardOutput.letGo()
    Descriptor.standardError.letGo()
  }

  func give(_ failure: CommandFailure) {
    _ = answer([UInt8(truncatingIfNeeded: failure.status.rawValue)] + failure.message.utf8)
  }

  /// Sends the answer and closes the pipe; false if the caller has closed its end.
  private func answer(_ bytes: [UInt8]) -> Bool {
    defer { status = nil }
    return (try? status?.writeAll(bytes)) != nil
  }
}
