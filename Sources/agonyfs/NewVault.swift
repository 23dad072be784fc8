internal import Albums
internal import Crypto
internal import Storage
internal import Vault

/// Creates vaults in directories.
enum NewVault {
  /// Creates a vault and its first space; without a cipher, with the faster one. Removes them again if this cannot be
  /// completed, or if a signal comes that ends the process; then the signal does so.
  ///
  /// - Throws: `VaultError` and `DirectoryStorageError`.
  static func create(
    at path: String, _ options: VaultCreationOptions = .init(), password: Password, hiddenPassword: Password? = nil,
    cipher: CipherSuite? = nil
  ) throws {
    let signals = HeldSignals()
    defer { signals.release() }
    let directory = try DirectoryCreation(at: path)
    do {
      try LongOperation.run("writing cover", heldBy: signals) { control in
        try SpaceManager.createVault(
          in: directory.storage, options: options, password: password, hiddenPassword: hiddenPassword,
          cipher: cipher ?? .fastest(), control)
      }
      try directory.complete()
    } catch {
      directory.remove()
      throw error
    }
  }
}
