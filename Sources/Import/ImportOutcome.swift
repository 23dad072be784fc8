package import Media

/// The outcome of one source file.
package enum ImportOutcome: Hashable, Sendable {
  /// The space has it now, under this path from its root. It was verified if that was requested.
  case imported(path: [UInt8])
  /// The space had the content already. `existing` is where it was found; `path` is the name for this file.
  case duplicate(path: [UInt8], existing: [UInt8])
  /// The space has a file of this name, length and time already.
  case known(path: [UInt8])
  /// It was left out.
  case skipped(SkipReason)
  /// It could not be imported.
  case failed(ImportFailure)

  /// Its path in the space; nil if the space does not have it.
  package var path: [UInt8]? {
    switch self {
    case .imported(let path), .duplicate(let path, _), .known(let path): path
    case .skipped, .failed: nil
    }
  }

  /// Whether the space has the content.
  package var isInSpace: Bool { path != nil }
}

/// Why a source file was left out. The raw value is a clause for messages.
package enum SkipReason: String, Hashable, Sendable {
  case symbolicLink = "it is a symbolic link"
  case fifo = "it is a FIFO"
  case socket = "it is a socket"
  case device = "it is a device"
  case insideVault = "it is in a vault"
  case insideSpace = "it is in the space that it would be imported into"
  case hardLink = "it is another name of a file of the archive"
  case special = "it is not a file"
  case inTrash = "it is in the trash of the Takeout; --takeout-trash imports that, too"
  case systemFile = "it is a file that a system keeps for itself, not a photo; --all-files imports it, too"
  case insideOtherSpace = "it is in a mounted vault, of which no original is deleted"
}

/// Why a source file could not be imported.
package enum ImportFailure: Error, Hashable, Sendable {
  /// It changed while it was read.
  case changed
  /// A second reading returned other bytes.
  case readsDiffer
  /// The stored bytes differ from the bytes that were written.
  case storedDiffers
  /// Reading it failed.
  case source(ErrorNumber)
  /// Writing it into the space failed.
  case space(ErrorNumber)
  /// All numbered forms of its name are taken.
  case noName
  /// The import was interrupted before it was finished.
  case interrupted
  /// Its name in the archive is not a relative path below the archive.
  case badName
  /// The data of the entry or of the archive is not complete.
  case archive(ArchiveVerdict)
  /// It is not an archive of a supported format.
  case notAnArchive
  /// The process that unpacks archives failed.
  case decoder
  /// The file that it describes is not in the space.
  case withoutFile

  /// A system error.
  package struct ErrorNumber: Hashable, Sendable {
    package var number: CInt
  }
}
