package import HostFiles

/// What one run of an import did.
package struct ImportSummary: Hashable, Sendable {
  package var imported = 0
  package var duplicates = 0
  package var known = 0
  package var skipped = 0
  /// Files and folders that systems keep for themselves, which stay where they are, and the paths of the first of them.
  package var systemFiles = 0
  package var systemPaths: [[UInt8]] = []
  /// Photos and videos that came to the day of their files, since nothing says when they were taken, and the paths of the
  /// first of them.
  package var datedByFile = 0
  package var datedByFilePaths: [[UInt8]] = []
  package var failed = 0
  /// Those that it did not come to.
  package var unreached = 0
  /// Bytes of files that are in the space.
  package var bytes: Int64 = 0
  /// The deepest directory, from the space's root, that all of these files are in; nil if there are none.
  package var directory: [[UInt8]]?
  /// Whether it was interrupted before all was looked at.
  package var isInterrupted = false
  /// Whether originals of a Google Takeout stay because not all of it was verified.
  package var isTakeoutKept = false
  /// Archives that stay because not all of each was verified.
  package var keptArchives: [[UInt8]] = []
  /// Why it could not go on; nil if it could.
  package var end: CInt?

  /// All that the sources have.
  package var all: Int { imported + duplicates + known + skipped + systemFiles + failed + unreached }
  /// Whether the space has everything that may be a photo.
  package var isWhole: Bool { skipped == 0 && failed == 0 && unreached == 0 && !isInterrupted && end == nil }

  /// Paths that are kept of a kind.
  private static let mostPaths = 16

  mutating func count(_ outcome: ImportOutcome, _ size: Int64, of path: [UInt8]) {
    switch outcome {
    case .imported: imported += 1
    case .duplicate: duplicates += 1
    case .known: known += 1
    case .skipped(.systemFile):
      systemFiles += 1
      if systemPaths.count < Self.mostPaths { systemPaths.append(path) }
    case .skipped: skipped += 1
    case .failed(.interrupted): unreached += 1
    case .failed: failed += 1
    }
    guard let path = outcome.path else { return }
    bytes += size
    let own = path.split(separator: UInt8(ascii: "/")).dropLast().map { Array($0) }
    directory = directory.map { zip($0, own).prefix { $0 == $1 }.map(\.0) } ?? own
  }

  /// Counts a photo or video that states no time, if it came to its day in this run.
  mutating func countDatedByFile(_ outcome: ImportOutcome, of path: [UInt8]) {
    switch outcome {
    case .imported, .duplicate:
      datedByFile += 1
      if datedByFilePaths.count < Self.mostPaths { datedByFilePaths.append(path) }
    case .known, .skipped, .failed: break
    }
  }
}

/// Who follows an import.
package protocol ImportObserver: AnyObject {
  /// Called when the outcome for a source is known. `status` is nil for what could not be looked at; `isDescribed`, if
  /// the sources are a Google Takeout, says whether a file has a JSON, or a JSON a file.
  func finished(
    _ path: [UInt8], _ status: FileStatus?, _ outcome: ImportOutcome, isVerified: Bool, isDescribed: Bool?)
  /// Called when the space could not take extended attributes of a file, which is imported without them.
  func lost(_ attributes: [[UInt8]], of path: [UInt8])
  /// Called with a number of bytes that were read of a source that is not finished yet.
  func read(_ bytes: Int)
  /// Whether to stop after the file at hand.
  var isCancelled: Bool { get }
}
