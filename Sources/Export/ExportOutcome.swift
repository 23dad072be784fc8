/// How it ended for one file.
package enum ExportOutcome: Hashable, Sendable {
  /// It is at the destination now, under a path there, with so many bytes.
  case exported(path: [UInt8], bytes: Int64)
  /// The destination had a file with its name, or its name and a number, and its content.
  case known(path: [UInt8])
  /// It is not at the destination.
  case failed(ExportFailure)

  /// Its path at the destination, if it is there.
  var path: [UInt8]? {
    switch self {
    case .exported(let path, _), .known(let path): path
    case .failed: nil
    }
  }
}

/// Why a file was not exported.
package enum ExportFailure: Error, Hashable, Sendable {
  /// It is no file, but what this says.
  case kind(String)
  /// Reading it failed, with a system error.
  case source(CInt)
  /// It was changed while it was read.
  case changed
  /// What was read is not what the vault has stored.
  case storedDiffers
  /// Writing it failed, with a system error.
  case destination(CInt)
  /// The destination gave other bytes when they were read back.
  case writtenDiffers
  /// Too many files have its name there.
  case noName
  /// The destination cannot have its name, or that of its album.
  case nameImpossible
  /// Its name is taken there by a file with another content, and it may have no other.
  case nameTaken
  /// It could not be changed as it was asked for; the clause says why.
  case unchangeable(String)
  /// Nothing more could be exported.
  case interrupted
}
