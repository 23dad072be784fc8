internal import Crypto
internal import SystemPackage

/// A program that prints a password, such as a password manager.
enum PasswordProgram {
  /// Runs a shell command and returns the first line that it prints. Its other lines are discarded. It shares our
  /// standard input and error, so it can ask for something itself.
  ///
  /// - Throws: `CommandFailure` with status 1 if the command fails; `Errno` if it cannot be started.
  static func run(_ command: String) throws -> SecretLine.Outcome {
    let (reading, writing) = try FileDescriptor.pipe()
    defer { try? reading.close() }
    let started = Result {
      try ChildProcess(
        "/bin/sh", arguments: ["sh", "-c", command], descriptors: [.standardInput, writing, .standardError])
    }
    try writing.close()
    let process = try started.get()
    let line = Result { try SecretLine.read(from: reading) }
    // A closed pipe would kill a program that still prints.
    var rest = [UInt8](repeating: 0, count: 4096)
    while let count = try? unsafe rest.withUnsafeMutableBytes({ try unsafe reading.read(into: $0) }), count > 0 {}
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
}
