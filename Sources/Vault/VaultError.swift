package import SystemPackage

/// An error of a vault or of one of its spaces.
package enum VaultError: Error, Equatable, Sendable {
  /// The storage holds no vault, for the reason in the text.
  case notAVault(String)
  /// The storage holds a vault already.
  case vaultExists
  /// The vault's format is newer than this program.
  case newerFormat(Int)
  /// The vault's format is from before the first release; no program reads it any more.
  case olderFormat(Int)
  /// All key derivations that could be used are too weak.
  case derivationsTooWeak
  /// No space opens with this password.
  case noSpaceOpens
  /// The password already opens a space.
  case passwordInUse
  /// Another password replaced this one when the space got a new key.
  case passwordReplaced
  /// No other password opens the space.
  case lastPassword
  /// Another process has the space open.
  case spaceInUse
  /// Another process works on the whole vault, or this one would and another has a space open.
  case vaultInUse
  /// Stored bytes are missing or do not authenticate.
  case damaged(String)
  /// The cover is too little for a space that owns it.
  case tooLittleCover
  /// Less of a space's own cover can be given up than was asked for: as much as a space owns that can store so many
  /// bytes.
  case tooLittleUnused(Int64)
  /// The person has ended the operation when a space had given up its cover and not all of it was replaced.
  case handoverInterrupted
  /// What a snapshot read is not kept any more. Who asks again gets another snapshot.
  case snapshotEnded
  /// The disk is full.
  case noSpace
  /// The person has ended the operation.
  case cancelled
  /// The space cannot be written, for the reason in the text.
  case readOnly(String)
  /// SQLite failed on the index of the space, with this result code.
  case indexFailed(Int32)
  /// A system call failed during the action in the text.
  case system(Errno, String)

  /// Within the log: the host has no room for a file, and a space that owns cover may make some.
  static let hostFull = VaultError.system(.noSpace, "creating a segment")

  /// The error of an action in which a system call failed.
  init(_ error: Errno, _ action: String) {
    switch error {
    case .noSpace, .diskQuotaExceeded: self = .noSpace
    default: self = .system(error, action)
    }
  }
}

/// Calls `body`, whose errors become those of the action in the text.
func attempt<Result>(_ action: String, _ body: () throws(Errno) -> Result) throws(VaultError) -> Result {
  do throws(Errno) {
    return try body()
  } catch {
    throw VaultError(error, action)
  }
}
