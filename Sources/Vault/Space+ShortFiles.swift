// Files that a crash left short would be evidence of a space, so the next mount of any space completes or deletes them.
//
// Invariants
// 1. A file is touched only when nobody writes it: nobody else has a space of the vault open, and it was last written
//    before the machine was started, or, where other machines may write, more than a day ago. So a copy that is being
//    restored is left alone.
// 2. Nothing is deleted in which any key could open anything.

internal import Storage
internal import System
internal import SystemPackage

extension Space {
  /// How long this keeps others out of the vault, in nanoseconds, beside the time for one file. They wait for longer.
  private static let longestHold: UInt64 = 3_000_000_000

  /// Completes the short files of other spaces: what holds nothing is deleted, all else is filled with random bytes.
  /// Skips files that somebody may be writing, or that cannot be filled now.
  ///
  /// - Returns: false if it is to be called again: others have the vault open, or too much is left.
  package func completeShortFiles() -> Bool {
    guard gate.isOpen, let vault = log.locked({ $0.leases.vault }) else { return true }
    let limit = abandonedBefore
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
    let limit = abandonedBefore
    let (recovered, torn) = log.locked { ($0.durability.recovered, $0.durability.torn) }
    if recovered.contains(where: { isAbandoned($0, before: limit) }) {
      do throws(VaultError) {
        try log.locked { log throws(VaultError) in try log.completeRecovered() }
      } catch {
        // The first write reports it.
        return
      }
    }
    for identifier in torn where isAbandoned(identifier, before: limit) {
      // One that is filled before there is a newer head has to be known for what it is when it is full.
      try? complete(identifier, abandonedBefore: limit) { [keys] file in
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

  /// Files that were last written before this, in seconds since 1970, are taken for abandoned.
  private var abandonedBefore: Int64 { storage.endOfAbandonedFiles(at: log.context.clock()) }

  /// Whether a file is short, and was last written before `limit`.
  private func isAbandoned(_ identifier: SegmentIdentifier, before limit: Int64) -> Bool {
    guard let file = try? storage.open(identifier), let size = try? file.size(), let modified = try? file.modified()
    else { return false }
    return size < segmentSize && modified < limit
  }

  /// Completes or deletes one file, if it is still short and old; fills it only if `mayFill` agrees.
  private func complete(
    _ identifier: SegmentIdentifier, abandonedBefore limit: Int64, mayFill: (any SegmentReader) -> Bool = { _ in true }
  ) throws(Errno) {
    try storage.complete(identifier, segmentSize: segmentSize, abandonedBefore: limit) { file in
      // Files of others take room of the disk, whatever room this space has.
      mayFill(file) && log.locked { $0.measureHost().state } == .ample
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
