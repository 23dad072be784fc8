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
    switch process.wait() {
    case .exited(0): return try line.get()
    case .exited(let status):
      throw CommandFailure(
        .failure, "The password command ended with status \(status); run it by itself to see why: \(command)")
    case .killed(let signal):
      throw CommandFailure(
        .failure, "The password command was killed by signal \(signal); run it by itself to see why.")
    }
  }

  /// The end that the command writes to is closed on return, except in the command.
  private static func start(_ command: String) throws(Errno) -> (process: ChildProcess, output: Descriptor) {
    let (reading, writing) = try Descriptor.pipe()
    let process = try ChildProcess(
      "/bin/sh", arguments: ["sh", "-c", command], descriptors: [.standardInput, writing, .standardError])
    return (process, reading)
  }
}
