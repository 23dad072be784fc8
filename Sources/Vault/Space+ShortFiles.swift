internal import Storage
internal import SystemPackage

/// Completing files that crashes left short.
extension Space {
  /// The time after the last write before a short file is completed, in seconds.
  private static let minimumAge: Int64 = 24 * 3600

  /// Fills short files with random bytes, of all spaces of the vault, so that no length distinguishes a file. Skips
  /// files that were written to within a day, that somebody is writing, or that cannot be filled now.
  package func completeShortFiles() {
    if !gate.isOpen { return }
    let latest = log.context.clock() - Self.minimumAge
    var short: [SegmentIdentifier] = []
    try? storage.list { identifier, size, modified in
      if size < segmentSize && modified < latest { short.append(identifier) }
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
