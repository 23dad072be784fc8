// Files that a crash left short would be evidence of a space, so the next mount of any space completes or deletes them.
//
// Invariants
// 1. A file of another space is touched only when no process writes it: no other process has a space of the vault open,
//    and the file was last written before the machine was started, or, if other machines may write, more than a day
//    ago. So a vault that is being restored is left alone.
// 2. In a copy no file is touched. A file may be short because the copy was cut off. If it were filled, it would pass
//    as whole, and no later copy would bring its content.
// 3. A space's own files are touched whatever their age, because a process that has the space open for writing is its
//    only writer.
// 4. Nothing is deleted in which any key could open anything.

internal import Storage
internal import System
internal import SystemPackage

extension Space {
  /// How long this keeps other processes out of the vault, in nanoseconds, in addition to the time for one file. They
  /// wait for longer than this.
  private static let longestHold: UInt64 = 3_000_000_000

  /// Completes the short files of other spaces: deletes those without content, and fills all others with random bytes.
  /// Skips files that another process may be writing, or that cannot be filled now, and all files of a copy.
  ///
  /// - Returns: false if it must be called again: other processes have the vault open, or too much is left.
  package func completeShortFiles() -> Bool {
    guard gate.isOpen, !origin.isCopy, let vault = log.locked({ $0.leases.vault }) else { return true }
    let limit = storage.endOfAbandonedFiles(at: log.context.clock())
    // Listing may take long, so it keeps no process out. A list that turns out useless only costs another look.
    guard vault.isOnlyOne else { return false }
    var short: [SegmentIdentifier] = []
    try? storage.list { identifier, size, modified in
      if size < segmentSize && modified < limit { short.append(identifier) }
    }
    // Files that this space has begun since then are not among them.
    let own = Set(segmentIdentifiers())
    short.removeAll(where: own.contains)
    if short.isEmpty { return true }
    guard (try? vault.change(exclusive: true)) != nil else { return false }
    defer { try? vault.change(exclusive: false) }
    let deadline = monotonicTime() + Self.longestHold
    for identifier in short {
      guard monotonicTime() < deadline else { return false }
      try? complete(identifier, abandonedBefore: limit)
    }
    return true
  }

  /// Completes the files that an earlier mount of this space left short; otherwise the first write would do so. A copy
  /// is left alone, because the files of the original may still follow. No other thread may use the space during the
  /// call.
  func completeOwnFiles() {
    if !gate.isOpen || origin.isCopy { return }
    let (recovered, torn) = log.locked { ($0.durability.recovered, $0.durability.torn) }
    if recovered.contains(where: isShort) {
      do throws(VaultError) {
        try log.locked { log throws(VaultError) in try log.completeRecovered() }
      } catch {
        // The first write reports it.
        return
      }
    }
    for identifier in torn where isShort(identifier) {
      // If it is filled before there is a newer head, its segment header must open so that it is still recognised as
      // torn.
      try? complete(identifier, abandonedBefore: .max) { [keys] file in
        (try? SegmentHandle.open(file, keys: keys)) != nil
      }
    }
    for identifier in torn.reversed() where (try? storage.exists(identifier)) == false {
      log.locked { log in
        // The next head may get this name.
        log.durability.torn.removeAll { $0 == identifier }
        let newest = log.catalog.highestEpoch
        if keys.headIdentifier(newest) == identifier { log.catalog.forgetNewest(newest) }
      }
    }
  }

  /// Begins an epoch if a crash left segments behind the end of the log, or torn heads. Otherwise, in a copy of the
  /// files, also one that a refresh makes, a segment behind a lost one would make the copy look unfinished. A copy is
  /// left alone. No other thread may use the space during the call.
  func leaveTornEndBehind() {
    guard gate.isOpen, !origin.isCopy, log.locked({ !$0.catalog.retiring.isEmpty }) else { return }
    // If it fails, the first write tries again, or reports the failure.
    try? log.locked { log throws(VaultError) in try log.beginEpoch() }
  }

  private func isShort(_ identifier: SegmentIdentifier) -> Bool {
    guard let size = try? storage.open(identifier).size() else { return false }
    return size < segmentSize
  }

  /// Completes or deletes one file that is still short and was last written before `limit`. Fills it only if `mayFill`
  /// agrees.
  private func complete(
    _ identifier: SegmentIdentifier, abandonedBefore limit: Int64, mayFill: (any SegmentReader) -> Bool = { _ in true }
  ) throws(Errno) {
    try storage.complete(identifier, segmentSize: segmentSize, abandonedBefore: limit) { file in
      // Files of other spaces take room of the disk, no matter how much room this space has.
      mayFill(file) && log.locked { $0.room.measureHost().state } == .ample
    }
  }
}

extension Lease {
  /// Whether no other process has the lease.
  fileprivate var isOnlyOne: Bool {
    do throws(Errno) {
      try change(exclusive: true)
      try change(exclusive: false)
      return true
    } catch {
      return false
    }
  }
}
