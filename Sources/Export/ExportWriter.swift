package import HostFiles
internal import SystemPackage

/// A file to be written.
package struct ExportFile: Sendable {
  /// Its directory at the destination, in parts, and its name there.
  package var folder: [[UInt8]]
  package var name: [UInt8]
  package var content: any ContentReader
  /// Permissions, and times if it has any.
  package var permissions: UInt32
  package var accessed: FileTime?
  package var modified: FileTime?
  package var attributes: [(name: [UInt8], value: [UInt8])] = []
  /// The file of the space that it comes from, if it comes from one.
  package var source: (any ExportedFile)?
  /// Whether the content is that of the source, and not something that was made of it.
  package var isOriginal = false
  /// Whether it gets this name or none.
  package var isNameFixed = false

  /// A file with a content, for its owner.
  package init(folder: [[UInt8]], name: [UInt8], content: any ContentReader) {
    self.folder = folder
    self.name = name
    self.content = content
    permissions = 0o600
  }

  /// Checks what was read.
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

/// How far a file is.
package enum ExportStep {
  case ended(ExportOutcome)
  /// Its outcome comes later, under this number.
  case underway(Int)
}

/// A destination.
package protocol ExportWriter: AnyObject {
  /// Adds an album.
  func add(folder: [[UInt8]]) throws(ExportFailure)
  /// Adds a file.
  func add(_ file: ExportFile) throws(ExportFailure) -> ExportStep
  /// Outcomes of files that were underway, each once; of all that are, if they are to be waited for.
  func outcomes(waits: Bool) -> [(number: Int, outcome: ExportOutcome)]
  /// Whether nothing more can be added after a failure.
  func isBroken(by failure: ExportFailure) -> Bool
  /// Makes what was added durable and whole.
  func finish() throws(ExportFailure)
  /// Takes away what is not whole, after something went wrong.
  func abandon()
  /// Files of which the destination does not keep the times, or all extended attributes.
  var withoutAttributes: Int { get }
}
