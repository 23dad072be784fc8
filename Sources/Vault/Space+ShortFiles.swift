internal import Storage
internal import System
internal import SystemPackage

/// Completing files that crashes left short.
extension Space {
  /// The time after the last write before a short file is completed, in seconds.
  private static let minimumAge: Int64 = 24 * 3600
  /// How long this keeps others out of the vault, in nanoseconds, beside the time for one file. They wait for longer.
  private static let longestHold: UInt64 = 3_000_000_000

  /// Fills short files of other spaces with random bytes, so that no length distinguishes a file. Skips files that were
  /// written to within a day, or that cannot be filled now.
  ///
  /// - Returns: false if it could not be known that nobody writes them, or too much is left: it is to be called again.
  package func completeShortFiles() -> Bool {
    guard gate.isOpen, let vault = log.locked({ $0.leases.vault }) else { return true }
    // Listing may take long, so nobody is kept out meanwhile. What is listed in vain costs another look.
    guard vault.isOnlyOne else { return false }
    let latest = log.context.clock() - Self.minimumAge
    var short: [SegmentIdentifier] = []
    try? storage.list { identifier, size, modified in
      if size < segmentSize && modified < latest { short.append(identifier) }
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
      do throws(Errno) {
        let writer = try storage.openToFill(identifier)
        let size = try writer.size()
        guard size < segmentSize, try writer.modified() < latest, roomState == .ample else { continue }
        try padSegment(writer, from: size, size: segmentSize)
        try writer.flush()
      } catch {
        continue
      }
    }
    return true
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
