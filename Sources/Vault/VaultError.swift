package import SystemPackage

/// An error of a vault or of one of its spaces.
package enum VaultError: Error, Equatable, Sendable {
  /// The storage holds no vault, for the reason in the text.
  case notAVault(String)
  /// The storage holds a vault already.
  case vaultExists
  /// The vault's format is newer than this program.
  case newerFormat(Int)
  /// The vault's format is from before the first release. No program reads it any more.
  case olderFormat(Int)
  /// The space has features that this program does not know.
  case newerSpace
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
  /// Another process has exclusive use of the vault, or this process asks for exclusive use and another has a space
  /// open.
  case vaultInUse
  /// Stored bytes are missing or do not authenticate.
  case damaged(String)
  /// The cover is too small for a space that owns it.
  case tooLittleCover
  /// The space can give up less of its own cover than was asked for. The value is in bytes: a space that owns the cover
  /// that can be given up could store this much.
  case tooLittleUnused(Int64)
  /// The user cancelled after a space had given up its cover, and not all of that cover was replaced.
  case handoverInterrupted
  /// A state that a snapshot reads is no longer kept. A caller that asks again gets another snapshot.
  case snapshotEnded
  /// The disk is full.
  case noSpace
  /// The user cancelled the operation.
  case cancelled
  /// The space cannot be written, for the reason in the text.
  case readOnly(String)
  /// SQLite failed on the index of the space, with this result code.
  case indexFailed(Int32)
  /// A system call failed during the action in the text.
  case system(Errno, String)

  /// Used only within the log: the host has no room for a file, and a space that owns cover may be able to make room.
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
