/// The database as of one commit, and where its pages are in the log. It does not keep the pages there;
/// `Space.snapshot(of:)` can read them only as long as they are there.
package struct CommittedState: Sendable {
  /// The number of the commit. Numbers are consecutive, also across mounts.
  package let number: UInt64
  /// The position of each page.
  let map: PageMap

  /// Whether pages of this state are in a segment.
  func needs(_ segment: SegmentNumber) -> Bool { map.count(in: segment) > 0 }
}

/// The database as of the last commit.
struct LoggedDatabase {
  /// The position of each page.
  var map: PageMap
  /// The number of that commit.
  var number: UInt64
  /// Encoded writes that the log states but the database does not contain.
  var intents: [UInt8]

  init(_ state: RecoveredState) {
    map = PageMap(positions: state.pages)
    number = state.sequence
    intents = state.intents
  }

  /// The state as of the last commit, as a value that later commits do not change.
  var state: CommittedState { CommittedState(number: number, map: map) }
}
