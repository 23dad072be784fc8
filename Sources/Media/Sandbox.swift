/// What is to happen where the kernel cannot confine the decoder fully.
package enum SandboxPolicy: Sendable {
  /// The decoder runs with what there is, and the log says so once.
  case preferred
  /// The decoder does not run.
  case required
}

/// How the running decoder is confined, as it reported.
package enum SandboxState: Sendable, Equatable, CustomStringConvertible {
  /// No decoder was started yet.
  case unknown
  /// The version of Landlock's interface, nil where the kernel lacks it; and whether system calls are filtered.
  case reported(landlock: Int?, seccomp: Bool)

  /// Whether nothing is missing.
  package var isComplete: Bool {
    if case .reported(landlock: .some, seccomp: true) = self { true } else { false }
  }

  /// As people read it.
  package var description: String {
    switch self {
    case .unknown: "not started yet"
    case .reported(let landlock, let seccomp):
      "\(landlock.map { "Landlock \($0)" } ?? "no Landlock"), \(seccomp ? "" : "no ")filter of system calls"
    }
  }
}
