internal import Storage
internal import SystemPackage

/// Completes files that crashes left short, without any key.
extension Vault {
  /// Completes or deletes all short files, whatever their age, and returns how many there were. The caller must have
  /// the lease on the vault exclusively, and know that no program is copying files into it.
  ///
  /// - Throws: `.noSpace`; `.system`. Then some may be completed.
  @discardableResult
  package func completeShortFiles() throws(VaultError) -> Int {
    let segmentSize = parameters.segmentSize
    return try attempt("completing short files") { () throws(Errno) in
      var short: [SegmentIdentifier] = []
      try storage.list { identifier, size, _ in
        if size < segmentSize { short.append(identifier) }
      }
      for identifier in short {
        try storage.complete(identifier, segmentSize: segmentSize, abandonedBefore: .max)
      }
      return short.count
    }
  }
}

extension Storage {
  /// A short file that was last written before this time has no writer any more. It is the start of the machine or a
  /// day before `now`, whichever is later. Where the start is not known, or other machines write too, it is a day
  /// before `now`. In seconds since 1970.
  func endOfAbandonedFiles(at now: Int64) -> Int64 { max(now - 24 * 3600, machineStarted ?? .min) }

  /// Completes a short file that was last written before `limit`: deletes it if it has no content, otherwise fills it
  /// if `mayFill` agrees.
  func complete(
    _ identifier: SegmentIdentifier, segmentSize: Int, abandonedBefore limit: Int64,
    mayFill: (any SegmentReader) -> Bool = { _ in true }
  ) throws(Errno) {
    let writer = try openToFill(identifier)
    let size = try writer.size()
    guard size < segmentSize, try writer.modified() < limit else { return }
    if try writer.holdsNothing(size: size) {
      try delete(identifier)
      try flushNames(of: [identifier])
    } else if mayFill(writer) {
      try padSegment(writer, from: size, size: segmentSize)
      try writer.flush()
    }
  }
}

extension Storage {
  /// Fills a short file with random bytes. Durable on return.
  func fill(_ identifier: SegmentIdentifier, size: Int) throws(Errno) {
    let writer = try openToFill(identifier)
    try padSegment(writer, from: try writer.size(), size: size)
    try writer.flush()
  }
}

extension SegmentReader {
  /// Whether no key can open anything in a file: it is too short for the header of a segment, or only zeros reached the
  /// disk.
  fileprivate func holdsNothing(size: Int) throws(Errno) -> Bool {
    if size < SegmentFormat.recordsStart { return true }
    let step = 64 << 10
    for offset in stride(from: 0, to: size, by: step)
    where try bytes(at: offset, count: min(step, size - offset)).contains(where: { $0 != 0 }) {
      return false
    }
    return true
  }
}
