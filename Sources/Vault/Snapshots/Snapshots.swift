// The snapshots of a space, and what ends them.
//
// Invariants
// 1. A snapshot delays nothing: what it needs is retired, deleted and overwritten as if there were none. So neither the
//    number of files nor the moment at which one goes tells that somebody asked, cleaning and a full disk wait for nobody,
//    and what only a snapshot needs counts as dead in `FilePool` and `RoomBudget`.
// 2. Before a segment goes, the snapshots that need it have ended, and their last reads, of one page each, too. So no read
//    takes what became of the segment for damage, and none holds its file open, which would keep its room.
// 3. The newest state needs no segment that is retired, and a state that a kept head has none that may go. So a snapshot
//    of one begins whole.

/// The snapshots of a space: those that have not ended, and those whose last reads are under way.
struct Snapshots {
  private var pinned: [ObjectIdentifier: PinnedState] = [:]
  private var isClosed = false

  /// How many there are.
  var count: Int { pinned.count }

  /// Begins one.
  ///
  /// - Throws: `.snapshotEnded` when the space is closed.
  mutating func begin(_ state: CommittedState) throws(VaultError) -> PinnedState {
    if isClosed { throw .snapshotEnded }
    let pin = PinnedState(state)
    pinned[ObjectIdentifier(pin)] = pin
    return pin
  }

  /// Ends those that need one of the segments, and gives them, to be waited for and removed. Another segment that one of them
  /// needs may go meanwhile, and waits for the same reads.
  func end(needing segments: [SegmentNumber]) -> [PinnedState] {
    let ended = pinned.values.filter { pin in segments.contains { pin.state.needs($0) } }
    for pin in ended { pin.end() }
    return ended
  }

  /// Ends all, and gives them, to be waited for and removed. No other begins any more.
  mutating func close() -> [PinnedState] {
    isClosed = true
    for pin in pinned.values { pin.end() }
    return Array(pinned.values)
  }

  /// Forgets some that have ended and are not read any more.
  mutating func remove(_ ended: [PinnedState]) {
    for pin in ended { pinned[ObjectIdentifier(pin)] = nil }
  }
}

extension LockedLog {
  /// Ends the snapshots that need segments which are about to go, and closes the files of these. Waits without the lock for
  /// reads that are under way.
  mutating func release(_ segments: [SegmentNumber]) {
    finish(snapshots.end(needing: segments))
    for segment in segments { cache.remove(segment) }
  }

  /// Waits without the lock for the last reads of snapshots that have ended, and forgets them.
  mutating func finish(_ ended: [PinnedState]) {
    if ended.isEmpty { return }
    unlocked { for pin in ended { pin.waitForReads() } }
    snapshots.remove(ended)
  }

  /// Whether all that a state needs stays at least until there is another head.
  func isKept(_ state: CommittedState) -> Bool { state.map.segments.allSatisfy(catalog.isNeededByHeads) }
}
