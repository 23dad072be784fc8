internal import System

/// Keeps secrets from a process that traces this one. It is asked before each of them comes.
enum TracedProcess {
  /// - Throws: `CommandFailure` if somebody but root traces this process.
  static func refuse() throws(CommandFailure) {
    guard let tracer = ProcessHardening.tracer() else { return }
    throw CommandFailure(
      .failure,
      "Process \(tracer) traces this one and would read the password and the keys; end it, or trace as root.")
  }
}
