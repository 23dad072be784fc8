// The snapshots of a space, and how they end.
//
// Invariants
// 1. A snapshot delays nothing: segments that it needs are retired, deleted and overwritten as if it did not exist. So
//    neither the number of files nor the moment of a deletion shows that a question was asked, cleaning and a full disk
//    never wait, and segments that only a snapshot needs count as dead in `FilePool` and `RoomBudget`.
// 2. Before a segment is deleted, the snapshots that need it have ended, and so have their last reads, of one page
//    each. So no read takes a deleted segment for damage, and none holds its file open, which would keep its room.
// 3. The newest state needs no retired segment, and a state of a kept head needs none that may be deleted. So a
//    snapshot of one of these is complete when it begins.

/// The snapshots of a space: those that have not ended, and those with reads in progress.
struct Snapshots {
  private var pinned: [ObjectIdentifier: PinnedState] = [:]
  private var isClosed = false

  /// The number of snapshots.
  var count: Int { pinned.count }

  /// Begins a snapshot.
  ///
  /// - Throws: `.snapshotEnded` when the space is closed.
  mutating func begin(_ state: CommittedState) throws(VaultError) -> PinnedState {
    if isClosed { throw .snapshotEnded }
    let pin = PinnedState(state)
    pinned[ObjectIdentifier(pin)] = pin
    return pin
  }

  /// Ends the snapshots that need one of the segments, and returns them; the caller waits for their reads and removes
  /// them. Another segment that one of them needs may be deleted at the same time; that deletion waits for the same
  /// reads.
  func end(needing segments: [SegmentNumber]) -> [PinnedState] {
    let ended = pinned.values.filter { pin in segments.contains { pin.state.needs($0) } }
    for pin in ended { pin.end() }
    return ended
  }

  /// Ends all snapshots, and returns them; the caller waits for their reads and removes them. No other snapshot can
  /// begin.
  mutating func close() -> [PinnedState] {
    isClosed = true
    for pin in pinned.values { pin.end() }
    return Array(pinned.values)
  }

  /// Forgets snapshots that have ended and are no longer read.
  mutating func remove(_ ended: [PinnedState]) {
    for pin in ended { pinned[ObjectIdentifier(pin)] = nil }
  }
}

extension LockedLog {
  /// Ends the snapshots that need segments which are about to be deleted, and closes the files of these segments. Waits
  /// without the lock for reads in progress.
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

  /// Whether all segments that a state needs stay at least until the next head.
  func isKept(_ state: CommittedState) -> Bool { state.map.segments.allSatisfy(catalog.isNeededByHeads) }
}
