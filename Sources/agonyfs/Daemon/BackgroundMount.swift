// Two processes: the caller's, which has the terminal and asked for the password, and the one in the background, which
// serves the mount. The second is started, not forked: locked memory is not inherited, and its arguments hold no
// password.
//
// 1. The password goes through a pipe (descriptor 3 of the second).
// 2. The second answers through another (descriptor 4): one byte with its exit status, and then a sentence if that is
//    not 0. A mount that answers is status 0. A pipe that ends without a byte means that the second is gone.
// 3. Until then the second may say things on the caller's standard error. Afterwards it has no terminal.
// 4. When the first is gone before the mount answers, the second unmounts and ends: nobody knows of it.

internal import ArgumentParser
internal import Crypto
internal import Glibc
internal import Mount
internal import SystemPackage

/// A mount that is served by a process of its own.
enum BackgroundMount {
  private static let passwordDescriptor = FileDescriptor(rawValue: 3)
  private static let statusDescriptor = FileDescriptor(rawValue: 4)

  /// Mounts in a new process, and returns once the mount answers.
  ///
  /// - Throws: the failure of the new process.
  static func start(_ request: MountRequest, password: Password) throws {
    // The new process may end before it has read the password; its status says why.
    signal(SIGPIPE, SIG_IGN)
    let process: ChildProcess
    let status: FileDescriptor
    do {
      let secret = try FileDescriptor.pipe()
      let answer = try FileDescriptor.pipe()
      status = answer.readEnd
      process = try ChildProcess(
        "/proc/self/exe", arguments: request.arguments,
        descriptors: [nil, nil, .standardError, secret.readEnd, answer.writeEnd], inNewSession: true)
      try secret.readEnd.close()
      try answer.writeEnd.close()
      _ = try? unsafe password.bytes.withUnsafeBytes { try unsafe secret.writeEnd.writeAll($0) }
      try secret.writeEnd.close()
    } catch let error as Errno {
      throw CommandFailure(error, doing: "starting the background process")
    }
    defer { try? status.close() }
    if let failure = failure(in: readAnswer(status), of: process) { throw failure }
  }

  /// What the answer says went wrong; nil when nothing did.
  private static func failure(in answer: [UInt8], of process: ChildProcess) -> CommandFailure? {
    if let first = answer.first {
      guard first != 0 else { return nil }
      return CommandFailure(
        CommandStatus(rawValue: Int32(first)) ?? .failure, String(decoding: answer.dropFirst(), as: UTF8.self))
    }
    let ending =
      switch process.wait() {
      case .exited(let status): "ended with status \(status)"
      case .killed(let signal): "was killed by signal \(signal)"
      }
    return CommandFailure(
      .failure, "The background process \(ending) before the mount was ready; --foreground shows more.")
  }

  /// Everything up to the end of the pipe, or the byte that says all is well.
  private static func readAnswer(_ status: FileDescriptor) -> [UInt8] {
    var answer: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 512)
    while answer != [0] {
      guard let count = try? unsafe block.withUnsafeMutableBytes({ try unsafe status.read(into: $0) }), count > 0
      else { break }
      answer += block[..<count]
    }
    return answer
  }

  /// The new process: serves the mount, and answers.
  ///
  /// - Throws: nothing that the first process still waits for; what went wrong after the mount answered is in the log.
  static func serve(_ request: MountRequest) throws {
    signal(SIGPIPE, SIG_IGN)
    unsafe chdir("/")
    let caller = WaitingCaller(status: statusDescriptor)
    do {
      try MountServer(request: request).serve(readPassword()) { caller.mountAnswers() }
    } catch {
      let failure = CommandFailure(any: error, vault: request.vault) ?? CommandFailure(.failure, "\(error)")
      if caller.isWaiting { caller.give(failure) } else { MountServer.log(failure) }
      throw ExitCode(failure.status.rawValue)
    }
  }

  private static func readPassword() throws -> Password {
    defer { try? passwordDescriptor.close() }
    guard case .line(let password) = try SecretLine.read(from: passwordDescriptor, endsAtNewline: false) else {
      throw CommandFailure(.failure, "The process that asked for the password has ended.")
    }
    return password
  }
}

/// The process that waits for a mount to answer, seen from the one that serves it.
private final class WaitingCaller {
  private let status: FileDescriptor
  /// Whether it has not been answered yet.
  private(set) var isWaiting = true

  init(status: FileDescriptor) { self.status = status }

  /// Says that the mount answers, and gives up the terminal. Without a caller the mount is taken away again.
  func mountAnswers() {
    isWaiting = false
    guard (try? status.writeAll([0])) != nil else {
      kill(getpid(), SIGTERM)
      return
    }
    try? status.close()
    MountServer.logToSystem()
    if let nothing = try? FileDescriptor.open(FilePath("/dev/null"), .readWrite, options: [.closeOnExec]) {
      _ = try? nothing.duplicate(as: .standardError)
      try? nothing.close()
    }
  }

  /// Says why there is no mount.
  func give(_ failure: CommandFailure) {
    isWaiting = false
    _ = try? status.writeAll([UInt8(truncatingIfNeeded: failure.status.rawValue)] + failure.message.utf8)
    try? status.close()
  }
}
