// Two processes: the caller's, which has the terminal and asked for the password, and the background process, which
// serves the mount. The second is spawned, because a fork does not inherit memory locks. Its arguments hold no
// password.
//
// 1. The password goes through a pipe (descriptor 3 of the second).
// 2. The second answers through another (descriptor 4): one byte with its exit status, then a sentence if the status is
//    not 0. Status 0 means that the mount is ready. If the pipe ends without a byte, the second has ended.
// 3. Until then the second may write to the caller's standard error. Afterwards it has no terminal.
// 4. If the first ends before the mount is ready, the second unmounts and ends: nobody knows of it.

internal import ArgumentParser
internal import Crypto
internal import Glibc
internal import Mount
internal import SystemPackage

/// A mount served by a background process.
enum BackgroundMount {
  private static let passwordDescriptor = FileDescriptor(rawValue: 3)
  private static let statusDescriptor = FileDescriptor(rawValue: 4)

  /// Mounts in a new process; returns when the mount is ready.
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

  /// The failure in the answer; nil if the mount is ready.
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

  /// Everything up to the end of the pipe, or the byte for success.
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

  /// The new process: serves the mount and answers the caller.
  ///
  /// - Throws: only the exit status. The failure itself goes to the caller or, once the mount was ready, to the log.
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

/// The process that waits until the mount is ready, as seen from the one that serves it.
private final class WaitingCaller {
  private let status: FileDescriptor
  /// Whether it still waits for the answer.
  private(set) var isWaiting = true

  init(status: FileDescriptor) { self.status = status }

  /// Answers that the mount is ready and gives up the terminal. Without a caller, ends the mount.
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

  /// Answers why there is no mount.
  func give(_ failure: CommandFailure) {
    isWaiting = false
    _ = try? status.writeAll([UInt8(truncatingIfNeeded: failure.status.rawValue)] + failure.message.utf8)
    try? status.close()
  }
}
