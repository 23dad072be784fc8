// Two processes: the caller's, which has the terminal and asked for the password, and the background process, which
// serves the mount. The second is spawned, because a fork does not inherit memory locks. Its arguments hold no
// password.
//
// 1. The password goes through a pipe (descriptor 3 of the second).
// 2. The second answers through another (descriptor 4): one byte with its exit status, then a sentence if the status is
//    not 0. Status 0 means that the mount is ready. If the pipe ends without a byte, the second has ended.
// 3. The directory to mount at comes as descriptor 5: its path may lead to another one by now.
// 4. Until then the second may write to the caller's standard output and standard error. Afterwards it has no terminal.
// 5. If the first ends before the mount is ready, the second unmounts and ends: nobody knows of it.
// 6. Until then the second is in the caller's process group. An automount has every other process wait at its directory
//    until something is mounted there (autofs: the group that serves it). What people type at the terminal meanwhile ends or
//    stops the first alone.

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
    // The new process may end before it has read the password; its status says why.
    signal(SIGPIPE, SIG_IGN)
    let (process, answer) = try CommandFailure.doing("starting the background process") { () throws(Errno) in
      try launch(request, password)
    }
    if let failure = failure(in: readAnswer(answer), of: process) { throw failure }
  }

  /// Starts the new process and gives it the password. Its ends of the pipes are open only in it on return.
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

  /// Everything up to the end of the pipe, or the byte for success.
  private static func readAnswer(_ status: Descriptor) -> [UInt8] {
    var answer: [UInt8] = []
    while answer != [0], let more = try? status.readSome(most: 512), !more.isEmpty { answer += more }
    return answer
  }

  /// The new process: serves the mount and answers the caller.
  ///
  /// - Throws: only the exit status. The failure itself goes to the caller or, once the mount was ready, to the log.
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

  /// What a terminal sends to all processes of a group, but for SIGINT and SIGHUP, which the session catches.
  fileprivate static let stoppingSignals = [SIGQUIT, SIGTSTP]
}

/// The process that waits until the mount is ready, as seen from the one that serves it.
private final class WaitingCaller {
  private var status: Descriptor?
  var isWaiting: Bool { status != nil }

  init(status: Descriptor) { self.status = status }

  /// Answers that the mount is ready and gives up the terminal. Without a caller, ends the mount.
  func mountAnswers() {
    // From here on it outlives the terminal.
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

  /// Sends the answer and closes the pipe; false if nobody reads it.
  private func answer(_ bytes: [UInt8]) -> Bool {
    defer { status = nil }
    return (try? status?.writeAll(bytes)) != nil
  }
}
