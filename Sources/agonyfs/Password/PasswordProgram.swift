internal import Crypto
internal import System
internal import SystemPackage

/// A program that prints a password, such as a password manager.
enum PasswordProgram {
  /// Runs a shell command and returns the first line that it prints; its other lines are discarded. The command shares
  /// this process's standard input and standard error, so it can ask the user itself.
  ///
  /// - Returns: nil if the command prints nothing.
  /// - Throws: `CommandFailure` with status 1 if the command fails; `Errno` if it cannot be started; the errors of
  ///   `SecretLine`.
  static func run(_ command: String) throws -> Password? {
    let (process, reading) = try start(command)
    let line = Result { try SecretLine.read(from: reading) }
    // Closing the pipe would kill a program that still prints.
    while let block = try? reading.readSome(most: 4096), !block.isEmpty {}
    let ending = process.wait()
    guard ending == .exited(0) else {
      throw CommandFailure(
        .failure, "The password command \(ending.text); run it by itself to see why: \(command)")
    }
    return try line.get()
  }

  /// Starts the command. On return, the pipe's writing end is open only in it.
  private static func start(_ command: String) throws(Errno) -> (process: ChildProcess, output: Descriptor) {
    let (reading, writing) = try Descriptor.pipe()
    let process = try ChildProcess(
      "/bin/sh", arguments: ["sh", "-c", command], descriptors: [.standardInput, writing, .standardError])
    return (process, reading)
  }
}

extension ChildProcess.Ending {
  /// How the program ended, as the end of a clause.
  var text: String {
    switch self {
    case .exited(let status): "ended with status \(status)"
    case .killed(let signal): "was killed by signal \(signal)"
    }
  }
}
