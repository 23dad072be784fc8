internal import System

/// Keeps secrets from a process that traces this one. The check runs before each secret arrives.
enum TracedProcess {
  /// - Throws: `CommandFailure` if a process of a user other than root traces this one.
  static func refuse() throws(CommandFailure) {
    guard let tracer = ProcessHardening.tracer() else { return }
    throw CommandFailure(
      .failure,
      "Process \(tracer) traces this one and would read the password and the keys; end it, or trace as root.")
  }
}
