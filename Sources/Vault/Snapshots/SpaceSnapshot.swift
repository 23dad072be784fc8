internal import System

/// The database as of one commit, while the log continues. It can end at any time (Snapshots.swift); the caller then
/// repeats its reads in another snapshot. Safe from any thread.
package final class SpaceSnapshot: Sendable {
  private let space: Space
  private let pin: PinnedState

  fileprivate init(of space: Space, _ pin: PinnedState) { (self.space, self.pin) = (space, pin) }

  deinit { end() }

  /// The state that is read.
  package var state: CommittedState { pin.state }

  /// Whether it has ended, so that every read throws.
  package var hasEnded: Bool { pin.hasEnded }

  /// The number of pages of the database.
  package var databasePageCount: UInt32 { pin.state.map.pageCount }

  /// Ends the snapshot. Waits for a page that another thread is reading from it.
  package func end() {
    pin.end()
    pin.waitForReads()
    space.log.locked { $0.snapshots.remove([pin]) }
  }

  /// Reads one page of the database, 4096 bytes. Must not be called under the lock of a file system.
  ///
  /// - Throws: `.snapshotEnded`; `.damaged` when the page is missing or does not authenticate.
  package func readPage(_ number: PageNumber, into page: UnsafeMutableRawBufferPointer) throws(VaultError) {
    precondition(page.count == Space.databasePageSize)
    Waiting.assertAllowed()
    guard pin.beginReading() else { throw .snapshotEnded }
    var failure: VaultError?
    do throws(VaultError) {
      guard let position = pin.state.map.position(of: number) else {
        throw .damaged("database page \(number.rawValue) is not in the map")
      }
      try unsafe space.readBlob(position, kind: BlobKind.databasePage, into: page)
    } catch {
      failure = error
    }
    let hasEnded = pin.endReading()
    if let failure { throw hasEnded ? .snapshotEnded : failure }
  }
}

extension Space {
  /// The database as of the last commit, durable or not.
  package var newestState: CommittedState { log.locked { $0.database.state } }

  /// Begins to read the database as of the last commit, durable or not, while the log continues. Reads nothing, and
  /// does not wait.
  ///
  /// - Throws: `.snapshotEnded` when the space is closed.
  package func snapshot() throws(VaultError) -> SpaceSnapshot {
    let pin = try log.locked { log throws(VaultError) in try log.snapshots.begin(log.database.state) }
    return SpaceSnapshot(of: self, pin)
  }

  /// Begins to read a state of the space, the newest or an older one.
  ///
  /// - Throws: `.snapshotEnded` when a part of it may be gone, or the space is closed.
  package func snapshot(of state: CommittedState) throws(VaultError) -> SpaceSnapshot {
    let pin = try log.locked { log throws(VaultError) -> PinnedState in
      guard log.isKept(state) else { throw .snapshotEnded }
      return try log.snapshots.begin(state)
    }
    return SpaceSnapshot(of: self, pin)
  }
}
