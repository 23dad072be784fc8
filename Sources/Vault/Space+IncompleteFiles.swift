internal import Storage
internal import SystemPackage

/// Files that crashes left short.
extension Space {
  /// How long a file has been short before anybody completes it, in seconds.
  private static let patience: Int64 = 24 * 3600

  /// Fills up with random bytes every file of the vault that nobody writes and that has been short for a day, whosoever
  /// it is, so that no length tells one file from another. A file that cannot be filled now is left for another time.
  package func completeAbandonedFiles() {
    if !gate.isOpen { return }
    let latest = log.context.clock() - Self.patience
    var short: [SegmentIdentifier] = []
    try? storage.list { listing in
      if listing.size < segmentSize && listing.modified < latest { short.append(listing.identifier) }
      return true
    }
    for identifier in short {
      do throws(Errno) {
        let writer = try storage.openToFill(identifier, takingLease: true)
        let size = try writer.size()
        guard size < segmentSize, roomState == .ample else { continue }
        try padSegment(writer, from: size, size: segmentSize)
        try writer.flush()
      } catch {
        continue
      }
    }
  }
}
