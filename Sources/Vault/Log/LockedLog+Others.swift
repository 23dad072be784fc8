internal import Storage
internal import System

/// Detects other writers of the space, on another machine that shares the vault's files through a network file system
/// or a program that synchronises folders.
extension LockedLog {
  /// Why the space becomes read-only when another program changed an open segment.
  static let changedElsewhere =
    "the space was continued elsewhere: another program replaced or changed an open file"
  private static let headElsewhere =
    "the space was continued elsewhere: another machine has written the next file"

  /// The time between two searches for the head of another writer, in nanoseconds.
  private static let lookInterval: UInt64 = 1_000_000_000

  /// The name of the next head, if it is time to look for it. Only another writer can have created a file of that name,
  /// so do not call this while a head of this mount exists that is not in the catalog.
  func headToLookFor() -> SegmentIdentifier? {
    let now = monotonicTime()
    guard now >= durability.nextLookForOthers else { return nil }
    durability.nextLookForOthers = now + Self.lookInterval
    return context.keys.headIdentifier(EpochNumber(rawValue: catalog.highestEpoch.rawValue + 1))
  }

  /// Makes the space read-only because another writer's head exists. The next mount begins at that head and would not
  /// find new commits.
  func refuseOthersHead() -> VaultError {
    gate.shut(because: Self.headElsewhere)
    announce()
    return .readOnly(gate.reason ?? Self.headElsewhere)
  }
}
