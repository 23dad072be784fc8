package import HostFiles
internal import SystemPackage

/// A file to be written.
package struct ExportFile: Sendable {
  /// Its directory at the destination, in parts, and its name.
  package var folder: [[UInt8]]
  package var name: [UInt8]
  package var content: any ContentReader
  /// Its permissions, and its times; nil if it has none.
  package var permissions: UInt32
  package var accessed: FileTime?
  package var modified: FileTime?
  package var attributes: [(name: [UInt8], value: [UInt8])] = []
  /// The file of the space that it comes from; nil for sidecars.
  package var source: (any ExportedFile)?
  /// Whether the content is that of the source, unchanged.
  package var isOriginal = false
  /// Whether it must not get a number.
  package var isNameFixed = false

  /// A file with permissions for its owner only.
  package init(folder: [[UInt8]], name: [UInt8], content: any ContentReader) {
    self.folder = folder
    self.name = name
    self.content = content
    permissions = 0o600
  }

  /// Throws if the bytes that were read differ from the stored ones, or if the source changed.
  func check(_ digest: FileDigest, verifies: Bool) throws(ExportFailure) {
    guard let source else { return }
    if verifies, isOriginal {
      let stored = try ExportFailure.ofSource { () throws(Errno) in try source.storedDigest() }
      guard stored == digest else { throw .storedDiffers }
    }
    let now = try ExportFailure.ofSource { () throws(Errno) in try source.currentStatus() }
    guard now.isUnchanged(since: source.status) else { throw .changed }
  }
}

/// The state of a file after it was added.
package enum ExportStep {
  case ended(ExportOutcome)
  /// Its outcome follows later, under this number.
  case underway(Int)
}

/// The destination of an export.
package protocol ExportWriter: AnyObject {
  /// Creates an album.
  func add(folder: [[UInt8]]) throws(ExportFailure)
  /// Adds a file.
  func add(_ file: ExportFile) throws(ExportFailure) -> ExportStep
  /// The outcomes of files in progress, each once. If `waits`, waits for all of them.
  func outcomes(waits: Bool) -> [(number: Int, outcome: ExportOutcome)]
  /// Whether no further files can be added after a failure.
  func isBroken(by failure: ExportFailure) -> Bool
  /// Completes the destination and makes it durable.
  func finish() throws(ExportFailure)
  /// Removes incomplete files after an error.
  func abandon()
  /// The number of files whose times, or some of whose extended attributes, the destination does not keep.
  var withoutAttributes: Int { get }
}
