internal import Logging
internal import Synchronization

/// What to do if the kernel cannot confine the decoder fully.
package enum SandboxPolicy: String, CaseIterable, Sendable {
  /// Run the decoder with the confinement there is, and log that once.
  case preferred
  /// Do not run the decoder without a filter of system calls. The filter alone refuses everything that Landlock
  /// refuses, so a kernel without Landlock is only logged.
  case required
}

/// The confinement that the running decoder reported.
package enum SandboxState: Sendable, Equatable, CustomStringConvertible {
  /// No decoder has started yet.
  case unknown
  /// The version of Landlock's interface (nil if the kernel lacks it), whether system calls are filtered, and whether
  /// the number of threads is bounded.
  case reported(landlock: Int?, seccomp: Bool, threads: Bool)

  /// Whether the confinement is complete. The bound on threads does not count, because their memory is bounded
  /// anyway.
  package var isComplete: Bool {
    if case .reported(landlock: .some, seccomp: true, _) = self { true } else { false }
  }

  /// Whether system calls are filtered.
  package var isFiltered: Bool {
    if case .reported(_, seccomp: true, _) = self { true } else { false }
  }

  /// The confinement that two decoders have in common. A decoder that has not started yet is ignored.
  func and(_ other: SandboxState) -> SandboxState {
    guard case .reported(let landlock, let seccomp, let threads) = self else { return other }
    guard case .reported(let otherLandlock, let otherSeccomp, let otherThreads) = other else { return self }
    let least = landlock.flatMap { version in otherLandlock.map { min(version, $0) } }
    return .reported(landlock: least, seccomp: seccomp && otherSeccomp, threads: threads && otherThreads)
  }

  /// As text for the user.
  package var description: String {
    switch self {
    case .unknown: "not started yet"
    case .reported(let landlock, let seccomp, let threads):
      "\(landlock.map { "Landlock \($0)" } ?? "no Landlock"), \(seccomp ? "" : "no ")filter of system calls"
        + (threads ? "" : ", no bound on threads")
    }
  }
}

/// Logs once, for all decoders that share it, that a decoder is not fully confined.
final class SandboxNotice: Sendable {
  private let logger: Logger
  private let isGiven = Atomic<Bool>(false)

  init(_ logger: Logger) { self.logger = logger }

  func give(_ state: SandboxState) {
    guard !isGiven.exchange(true, ordering: .relaxed) else { return }
    logger.warning("the decoder of pictures is not fully confined: \(state)")
  }
}
