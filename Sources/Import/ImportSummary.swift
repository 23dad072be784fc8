package import HostFiles

/// The counts and the end of one run of an import.
package struct ImportSummary: Hashable, Sendable {
  package var imported = 0
  package var duplicates = 0
  package var known = 0
  package var skipped = 0
  /// Files and folders that operating systems create for themselves, which stay in the source, and the first of their
  /// paths.
  package var systemFiles = 0
  package var systemPaths: [[UInt8]] = []
  /// Photos and videos that state no time and were sorted by the time of their file, and the first of their paths.
  package var datedByFile = 0
  package var datedByFilePaths: [[UInt8]] = []
  package var failed = 0
  /// Files that the run did not reach.
  package var unreached = 0
  /// The size in bytes of the source files that the space has.
  package var bytes: Int64 = 0
  /// The deepest common directory of all these files, from the root of the space; nil if there are none.
  package var directory: [[UInt8]]?
  /// Whether the run was interrupted before all files were handled.
  package var isInterrupted = false
  /// Whether the originals of a Google Takeout are kept because not all of it was verified.
  package var isTakeoutKept = false
  /// Archives that are kept because not every entry was verified.
  package var keptArchives: [[UInt8]] = []
  /// The system error that ended the run early; nil if it was not ended.
  package var end: CInt?

  /// The number of files of all sources.
  package var all: Int { imported + duplicates + known + skipped + systemFiles + failed + unreached }
  /// Whether the space has every file that may be a photo.
  package var isWhole: Bool { skipped == 0 && failed == 0 && unreached == 0 && !isInterrupted && end == nil }

  /// The most paths of each kind that are kept.
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

  /// Counts a photo or video that was sorted in this run by the time of its file.
  mutating func countDatedByFile(_ outcome: ImportOutcome, of path: [UInt8]) {
    switch outcome {
    case .imported, .duplicate:
      datedByFile += 1
      if datedByFilePaths.count < Self.mostPaths { datedByFilePaths.append(path) }
    case .known, .skipped, .failed: break
    }
  }
}

/// Receives the progress of an import.
package protocol ImportObserver: AnyObject {
  /// Called with the outcome of a source file. `status` is nil if its status could not be read. `isDescribed` is nil
  /// unless the sources are a Google Takeout; it says whether the file has a JSON, or the JSON a file.
  func finished(
    _ path: [UInt8], _ status: FileStatus?, _ outcome: ImportOutcome, isVerified: Bool, isDescribed: Bool?)
  /// Called when the space could not store extended attributes of a file. The file is imported without them.
  func lost(_ attributes: [[UInt8]], of path: [UInt8])
  /// Called with the number of bytes of each read of a source.
  func read(_ bytes: Int)
  /// Whether to stop after the current file.
  var isCancelled: Bool { get }
}
