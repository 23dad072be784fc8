/// What to do if the kernel cannot confine the decoder fully.
package enum SandboxPolicy: Sendable {
  /// Run the decoder with the confinement there is, and log that once.
  case preferred
  /// Do not run the decoder without a filter of system calls. It refuses alone what Landlock refuses, so a kernel without
  /// Landlock is only logged.
  case required
}

/// How the running decoder reported to be confined.
package enum SandboxState: Sendable, Equatable, CustomStringConvertible {
  /// No decoder has started yet.
  case unknown
  /// The version of Landlock's interface (nil if the kernel lacks it), and whether system calls are filtered.
  case reported(landlock: Int?, seccomp: Bool)

  /// Whether nothing is missing.
  package var isComplete: Bool {
    if case .reported(landlock: .some, seccomp: true) = self { true } else { false }
  }

  /// Whether system calls are filtered.
  package var isFiltered: Bool {
    if case .reported(_, seccomp: true) = self { true } else { false }
  }

  /// For people.
  package var description: String {
    switch self {
    case .unknown: "not started yet"
    case .reported(let landlock, let seccomp):
      "\(landlock.map { "Landlock \($0)" } ?? "no Landlock"), \(seccomp ? "" : "no ")filter of system calls"
    }
  }
}
