internal import Storage
internal import System

/// Noticing that somebody else writes the space: on another machine that shares the vault's files through a network
/// file system, or through a program that keeps folders the same.
extension LockedLog {
  /// Why a space stops being written when a file that is being written was changed.
  static let changedElsewhere =
    "the space was continued elsewhere: another program replaced or changed a file that is being written"
  private static let headElsewhere =
    "the space was continued elsewhere: a file that another machine wrote stands where this one would go on"

  /// How often the head that would follow is looked for, in nanoseconds.
  private static let lookInterval: UInt64 = 1_000_000_000

  /// The name of the next head, which only another writer can have made, if it is time to look for it. Not to be called
  /// while an epoch's own head exists that is not in the catalog.
  func headToLookFor() -> SegmentIdentifier? {
    let now = monotonicTime()
    guard now >= durability.nextLookForOthers else { return nil }
    durability.nextLookForOthers = now + Self.lookInterval
    return context.keys.headIdentifier(EpochNumber(rawValue: catalog.highestEpoch.rawValue + 1))
  }

  /// Stops the space when such a head is there: the next mount begins at that head, and would not find what is committed
  /// now.
  func refuseOthersHead() -> VaultError {
    gate.shut(because: Self.headElsewhere)
    announce()
    return .readOnly(gate.reason ?? Self.headElsewhere)
  }
}
