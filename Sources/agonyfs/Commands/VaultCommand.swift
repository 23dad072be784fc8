internal import ArgumentParser
internal import Storage
internal import Vault

/// A command for one vault.
protocol VaultCommand: ParsableCommand {
  /// The path of the vault, as given.
  var vault: String { get }
}

extension VaultCommand {
  /// The vault's absolute path.
  var path: String { AbsolutePath.of(vault) }

  /// Opens the vault. Throws `VaultError` and `DirectoryStorageError`.
  func openVault() throws -> Vault { try Vault.open(at: path) }
}

extension Vault {
  /// Opens the vault in the directory at a path. Throws `VaultError` and `DirectoryStorageError`.
  static func open(at path: String) throws -> Vault { try open(in: DirectoryStorage(path: path)) }
}
