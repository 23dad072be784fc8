package import Media

/// How it ended for one source file.
package enum ImportOutcome: Hashable, Sendable {
  /// It is in the space now, under a path from the space's root, and was verified if that was asked for.
  case imported(path: [UInt8])
  /// The space had the content already; `path` has it, and `existing` is where it was found.
  case duplicate(path: [UInt8], existing: [UInt8])
  /// A file of this name, length and time is there already.
  case known(path: [UInt8])
  /// It was not to be imported.
  case skipped(SkipReason)
  /// It could not be imported.
  case failed(ImportFailure)

  /// Where the space has it; nil if it has it not.
  package var path: [UInt8]? {
    switch self {
    case .imported(let path), .duplicate(let path, _), .known(let path): path
    case .skipped, .failed: nil
    }
  }

  /// Whether the space has the content.
  package var isInSpace: Bool { path != nil }
}

/// Why a source file was not to be imported.
package enum SkipReason: String, Hashable, Sendable {
  case symbolicLink = "it is a symbolic link"
  case fifo = "it is a FIFO"
  case socket = "it is a socket"
  case device = "it is a device"
  case insideVault = "it is in a vault"
  case insideSpace = "it is in the space that it would be imported into"
  case hardLink = "it is another name of a file of the archive"
  case special = "it is no file"
  case inTrash = "it is in the trash of the Takeout; --takeout-trash imports that, too"
  case systemFile = "it is no photo, but what a system keeps for itself; --all-files imports that, too"
  case insideOtherSpace = "it is in a mounted vault, of which no original is deleted"
}

/// Why a source file could not be imported.
package enum ImportFailure: Error, Hashable, Sendable {
  /// It was changed while it was read.
  case changed
  /// It gave other bytes when it was read again.
  case readsDiffer
  /// What the vault has stored is not what was read.
  case storedDiffers
  /// Reading it failed.
  case source(ErrorNumber)
  /// Writing it into the space failed.
  case space(ErrorNumber)
  /// Too many names like it are there.
  case noName
  /// The import was interrupted before.
  case interrupted
  /// Its name in the archive is no path below it.
  case badName
  /// How its data, or the archive, ended.
  case archive(ArchiveVerdict)
  /// It is in no known form of archives.
  case notAnArchive
  /// The process that unpacks archives failed.
  case decoder
  /// What it describes is not in the space.
  case withoutFile

  /// A system error.
  package struct ErrorNumber: Hashable, Sendable {
    package var number: CInt
  }
}
