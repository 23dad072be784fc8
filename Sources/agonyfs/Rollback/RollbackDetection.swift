// Invariants
// 1. The record never goes back to an older state, except with --accept-older.
// 2. No failure here prevents a mount.

internal import Logging
internal import Synchronization
internal import SystemPackage
internal import Vault

/// Detects that a space was rolled back to a state older than one that this machine has seen. Only with --remember.
final class RollbackDetection: Sendable {
  private let space: Space
  private let folder: StateFolder?
  private let logger: Logger
  /// Whether a failure to record has been logged.
  private let failureIsKnown = Atomic(false)

  init(of space: Space, logger: Logger) {
    self.space = space
    self.logger = logger
    folder = StateFolder.ofUser()
  }

  /// Compares the opened state with the recorded one. An older state becomes read-only unless it is accepted. A state
  /// that is accepted, or is not older, is recorded.
  ///
  /// - Returns: a warning for the user, as a sentence. Nil if there is none, or if the read-only gate's reason says it.
  func check(acceptsOlder: Bool) -> String? {
    guard let folder else { return "This machine cannot record the state of the space, because HOME is not set." }
    let content: [UInt8]?
    do throws(Errno) {
      content = try folder.read(space.recordName)
    } catch {
      return "This machine's record of the space cannot be read: \(error)."
    }
    let seen = content.flatMap { space.checkpoint(fromRecord: $0) }
    let status = seen.map { space.rollbackStatus(since: $0) } ?? .current
    let finding: String? =
      switch status {
      case .current: nil
      case .older: "this state of the space is older than the newest that this machine has seen"
      case .diverged:
        "this state of the space was continued elsewhere, from a state older than the newest that this machine has seen"
      }
    if finding == nil || acceptsOlder {
      do throws(Errno) {
        try write(space.checkpoint, goingBack: finding != nil)
      } catch {
        return "This machine cannot record the state of the space: \(error)."
      }
    }
    if let finding {
      if acceptsOlder || !space.gate.isOpen { return finding.prefix(1).uppercased() + finding.dropFirst() + "." }
      space.gate.shut(because: "\(finding); --accept-older continues from it")
      return nil
    }
    guard content != nil, seen == nil else { return nil }
    return "This machine's record of the space was damaged; it now holds the current state."
  }

  func record(_ checkpoint: CheckpointRecord) {
    do throws(Errno) {
      try write(checkpoint, goingBack: false)
      failureIsKnown.store(false, ordering: .relaxed)
    } catch {
      guard !failureIsKnown.exchange(true, ordering: .relaxed) else { return }
      logger.warning("this machine cannot record the state of the space: \(error)")
    }
  }

  private func write(_ checkpoint: CheckpointRecord, goingBack: Bool) throws(Errno) {
    try folder?.replace(space.recordName) { old in
      // Another copy of the vault may have advanced further in the meantime.
      let seen = old.flatMap { space.checkpoint(fromRecord: $0) }
      if !goingBack, let seen, seen == checkpoint || checkpoint.isBehind(seen) { return nil }
      return space.record(of: checkpoint)
    }
  }
}
