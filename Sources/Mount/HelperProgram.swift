internal import System

/// Runs another program.
enum HelperProgram {
  /// Runs it and waits for its end. Returns its exit status (255 after a signal) and the first 4 KiB of its standard
  /// error; nil if it could not be started.
  static func run(_ path: String, _ arguments: [String]) -> (status: Int32, errors: String)? {
    guard let (ending, errors) = try? ChildProcess.run(path, arguments: arguments, errorLimit: 4096) else { return nil }
    let lines = String(decoding: errors, as: UTF8.self).split(separator: "\n")
    let status: Int32 = if case .exited(let status) = ending { status } else { 255 }
    return (status, lines.joined(separator: "; "))
  }
}
