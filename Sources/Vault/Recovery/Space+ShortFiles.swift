// Files that a crash left short would be evidence of a space, so the next mount of any space completes or deletes them.
//
// Invariants
// 1. A file of others is touched only when nobody writes it: nobody else has a space of the vault open, and it was last
//    written before the machine was started, or, where other machines may write, more than a day ago. So a vault that
//    is being restored is left alone.
// 2. In a copy no file is touched. It may be short because the copy was cut off, and would pass as whole if it were
//    filled: no later copy would bring its content.
// 3. A space's own files are touched whatever their age: who has the space open to write is its only writer.
// 4. Nothing is deleted in which any key could open anything.

internal import Storage
internal import System
internal import SystemPackage

extension Space {
  /// How long this keeps others out of the vault, in nanoseconds, beside the time for one file. They wait for longer.
  private static let longestHold: UInt64 = 3_000_000_000

  /// Completes the short files of other spaces: what holds nothing is deleted, all else is filled with random bytes.
  /// Skips files that somebody may be writing, or that cannot be filled now, and all files of a copy.
  ///
  /// - Returns: false if it is to be called again: others have the vault open, or too much is left.
  package func completeShortFiles() -> Bool {
    guard gate.isOpen, !origin.isCopy, let vault = log.locked({ $0.leases.vault }) else { return true }
    let limit = storage.endOfAbandonedFiles(at: log.context.clock())
    // Listing may take long, so nobody is kept out meanwhile. What is listed in vain costs another look.
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

  /// Completes what an earlier mount of this space left short; else the first write would do so. A copy is left alone,
  /// since the files of the original may still follow. No other thread may use the space meanwhile.
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
      // One that is filled before there is a newer head has to be known for what it is when it is full.
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

  /// Begins an epoch if a crash left segments behind the end of the log, or torn heads. In the files' copies, as also a
  /// refresh makes them, a segment behind one that was lost would look like a copy that is not finished. A copy is left
  /// alone. No other thread may use the space meanwhile.
  func leaveTornEndBehind() {
    guard gate.isOpen, !origin.isCopy, log.locked({ !$0.catalog.retiring.isEmpty }) else { return }
    // If it fails, the first write does it, or reports why not.
    try? log.locked { log throws(VaultError) in try log.beginEpoch() }
  }

  private func isShort(_ identifier: SegmentIdentifier) -> Bool {
    guard let size = try? storage.open(identifier).size() else { return false }
    return size < segmentSize
  }

  /// Completes or deletes one file, if it is still short, and last written before `limit`; fills it only if `mayFill`
  /// agrees.
  private func complete(
    _ identifier: SegmentIdentifier, abandonedBefore limit: Int64, mayFill: (any SegmentReader) -> Bool = { _ in true }
  ) throws(Errno) {
    try storage.complete(identifier, segmentSize: segmentSize, abandonedBefore: limit) { file in
      // Files of others take room of the disk, whatever room this space has.
      mayFill(file) && log.locked { $0.room.measureHost().state } == .ample
    }
  }
}

extension Lease {
  /// Whether nobody else has the lease.
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
