internal import Glibc
internal import Storage
internal import System
internal import SystemPackage

/// Noticing that somebody else writes the space, on another machine that shares the vault's files through a network file system or a program that
/// keeps folders the same.
extension Space {
  /// Why the space stops being written when a file that is being written was changed.
  static let changedElsewhere =
    "the space was continued elsewhere: another program replaced or changed a file that is being written"
  private static let headElsewhere =
    "the space was continued elsewhere: a file that another machine wrote stands where this one would go on"

  /// How often the head that would follow is looked for.
  private static let lookInterval: UInt64 = 1_000_000_000

  /// The name of the head that nobody but another writer can have made, if it is time to look for it. Lock held, during no change of epochs.
  func headToLookFor() -> SegmentIdentifier? {
    let now = monotonicTime()
    guard now >= nextLookForOthers else { return nil }
    nextLookForOthers = now + Self.lookInterval
    return keys.headIdentifier(EpochNumber(rawValue: highestEpoch.rawValue + 1))
  }

  /// Stops the space when such a head is there: what is committed now would not be found by the next mount, which begins at that head. Lock held.
  func refuseOthersHead() -> VaultError {
    if failure == nil { failure = Self.headElsewhere }
    changed.broadcast()
    return .readOnly(failure ?? Self.headElsewhere)
  }
}
