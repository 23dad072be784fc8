internal import Synchronization

/// The snapshots of one session that were used most recently.
public final class SnapshotShelf: Sendable {
  private let most: Int
  private let kept: Mutex<[Snapshot]> = Mutex([])

  /// Keeps at most `most` snapshots.
  public init(most: Int = 8) { self.most = most }

  /// Keeps a snapshot, and drops the least recently used one if there are too many.
  public func put(_ snapshot: Snapshot) {
    kept.withLock { kept in
      kept.append(snapshot)
      if kept.count > most { kept.removeFirst(kept.count - most) }
    }
  }

  /// The snapshot with this name.
  ///
  /// - Throws: `.gone` if it is not kept any more.
  public func get(_ name: String) throws(GalleryError) -> Snapshot {
    let found = kept.withLock { kept -> Snapshot? in
      guard let place = kept.firstIndex(where: { $0.name == name }) else { return nil }
      let snapshot = kept.remove(at: place)
      kept.append(snapshot)
      return snapshot
    }
    guard let found else { throw GalleryError(.gone, "This list of photos has expired; load it again.") }
    return found
  }
}
