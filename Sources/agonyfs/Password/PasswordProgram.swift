internal import Crypto
internal import System
internal import SystemPackage

/// A program that prints a password, such as a password manager.
enum PasswordProgram {
  /// Runs a shell command and returns the first line that it prints. Its other lines are discarded. It shares our
  /// standard input and error, so it can ask for something itself.
  ///
  /// - Returns: nil if it prints nothing.
  /// - Throws: `CommandFailure` with status 1 if the command fails; `Errno` if it cannot be started; what `SecretLine`
  ///   throws.
  static func run(_ command: String) throws -> Password? {
    let (process, reading) = try start(command)
    let line = Result { try SecretLine.read(from: reading) }
    // A closed pipe would kill a program that still prints.
    while let block = try? reading.readSome(most: 4096), !block.isEmpty {}
    let ending = process.wait()
    guard ending == .exited(0) else {
      throw CommandFailure(
        .failure, "The password command \(ending.text); run it by itself to see why: \(command)")
    }
    return try line.get()
  }

  /// The end that the command writes to is closed on return, except in the command.
  private static func start(_ command: String) throws(Errno) -> (process: ChildProcess, output: Descriptor) {
    let (reading, writing) = try Descriptor.pipe()
    let process = try ChildProcess(
      "/bin/sh", arguments: ["sh", "-c", command], descriptors: [.standardInput, writing, .standardError])
    return (process, reading)
  }
}

extension ChildProcess.Ending {
  /// What the program did, as the end of a clause.
  var text: String {
    switch self {
    case .exited(let status): "ended with status \(status)"
    case .killed(let signal): "was killed by signal \(signal)"
    }
  }
}
