/// The outcome of one file.
package enum ExportOutcome: Hashable, Sendable {
  /// The destination has it now, under this path, with this many bytes.
  case exported(path: [UInt8], bytes: Int64)
  /// The destination already had a file with its content, under its name or under its name with a number.
  case known(path: [UInt8])
  /// It was not exported.
  case failed(ExportFailure)

  /// Its path at the destination; nil if it is not there.
  var path: [UInt8]? {
    switch self {
    case .exported(let path, _), .known(let path): path
    case .failed: nil
    }
  }
}

/// Why a file was not exported.
package enum ExportFailure: Error, Hashable, Sendable {
  /// It is not a regular file; the text states what it is.
  case kind(String)
  /// Reading it failed, with this system error.
  case source(CInt)
  /// It changed while it was read.
  case changed
  /// The bytes that were read differ from those that the vault has stored.
  case storedDiffers
  /// Writing it failed, with this system error.
  case destination(CInt)
  /// Reading the destination back returned other bytes.
  case writtenDiffers
  /// All numbered forms of its name are taken.
  case noName
  /// The destination does not allow its name, or that of its album.
  case nameImpossible
  /// Its name is taken by a file with other content, and it must not get a number.
  case nameTaken
  /// It could not be changed as requested; the clause says why.
  case unchangeable(String)
  /// The export ended before this file.
  case interrupted
}
