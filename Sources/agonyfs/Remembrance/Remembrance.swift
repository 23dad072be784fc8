// Invariants
// 1. What is kept never goes back, unless somebody said --accept-older.
// 2. Nothing that goes wrong here keeps a space from being mounted.

internal import Logging
internal import Synchronization
internal import SystemPackage
internal import Vault

/// What this machine has seen of one space, for those who ask for it with --remember.
final class Remembrance: Sendable {
  private let space: Space
  private let folder: StateFolder?
  private let logger: Logger
  /// Whether a failure to keep was told already.
  private let failureIsKnown = Atomic(false)

  /// Of a space that was just opened.
  init(of space: Space, logger: Logger) {
    self.space = space
    self.logger = logger
    folder = StateFolder.ofUser()
  }

  /// Compares the state that was opened with what was seen. One that is behind becomes read-only, unless it is accepted; accepted, or not behind, it
  /// is what was seen from now on.
  ///
  /// - Returns: what the person must know, as a sentence. Nil when all is well, or when the reason why the space is read-only says it.
  func look(acceptsOlder: Bool) -> String? {
    guard let folder else { return "This machine cannot record the state of the space, because HOME is not set." }
    let content: [UInt8]?
    do throws(Errno) {
      content = try folder.read(space.recordName)
    } catch {
      return "This machine's record of the space cannot be read: \(error)."
    }
    let seen = content.flatMap { space.mark(ofRecord: $0) }
    let standing = seen.map { space.standing(to: $0) } ?? .current
    let finding: String? =
      switch standing {
      case .current: nil
      case .older: "this state of the space is older than the newest that this machine has seen"
      case .branchedOff:
        "this state of the space was continued elsewhere, from one older than the newest that this machine has seen"
      }
    if finding == nil || acceptsOlder {
      do throws(Errno) {
        try write(space.mark, goingBack: finding != nil)
      } catch {
        return "This machine cannot record the state of the space: \(error)."
      }
    }
    if let finding {
      if acceptsOlder || space.isReadOnly { return finding.prefix(1).uppercased() + finding.dropFirst() + "." }
      space.makeReadOnly("\(finding); --accept-older continues from it")
      return nil
    }
    guard content != nil, seen == nil else { return nil }
    return "This machine's record of the space was damaged; it now holds the current state."
  }

  /// Keeps a mark that is durable.
  func keep(_ mark: StateMark) {
    do throws(Errno) {
      try write(mark, goingBack: false)
      failureIsKnown.store(false, ordering: .relaxed)
    } catch {
      guard !failureIsKnown.exchange(true, ordering: .relaxed) else { return }
      logger.warning("this machine cannot record the state of the space: \(error)")
    }
  }

  private func write(_ mark: StateMark, goingBack: Bool) throws(Errno) {
    try folder?.replace(space.recordName) { old in
      // Another copy of the vault may have come further meanwhile.
      if !goingBack, let seen = old.flatMap({ space.mark(ofRecord: $0) }), seen == mark || mark.isBehind(seen) {
        return nil
      }
      return space.record(of: mark)
    }
  }
}
