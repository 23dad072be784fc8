package import SystemPackage

/// What can go wrong with a vault or with one space of it.
package enum VaultError: Error, Equatable, Sendable {
  /// Nothing is at the path.
  case vaultMissing
  /// What is at the path is not a vault.
  case notAVault(String)
  /// A vault is already there, or the directory is not empty.
  case vaultExists
  /// The vault's format is newer than this program.
  case newerFormat(Int)
  /// The vault's format is from before the first release; no program reads it any more.
  case olderFormat(Int)
  /// No space opens with this password.
  case noSpaceOpens
  /// The password already opens a space.
  case passwordInUse
  /// Another process has the space open.
  case spaceInUse
  /// Stored bytes are missing or do not authenticate.
  case damaged(String)
  /// The disk is full.
  case noSpace
  /// The space cannot be written; the reason says why.
  case readOnly(String)
  /// A system call failed while doing what the text says.
  case system(Errno, String)
}
