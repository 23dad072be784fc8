internal import Albums
internal import Crypto
internal import Storage
internal import SystemPackage
internal import Vault

enum NewVault {
  /// Creates a vault and its first space; without a cipher, with the faster one. Removes both again if this fails or if
  /// a signal arrives that ends the process; the signal takes effect after that.
  ///
  /// - Returns: how many bytes a space that owns the vault's cover can store, even if no space owns it.
  /// - Throws: `VaultError` and `DirectoryStorageError`.
  @discardableResult
  static func create(
    at path: FilePath, _ options: VaultCreationOptions = .init(), password: Password, hiddenPassword: Password? = nil,
    cipher: CipherSuite? = nil
  ) throws -> Int64 {
    var options = options
    let signals = HeldSignals()
    defer { signals.release() }
    let directory = try DirectoryCreation(at: path)
    do {
      let room = try options.drawCover(in: directory.storage)
      try LongOperation.run("writing cover", heldBy: signals) { control in
        try SpaceManager.createVault(
          in: directory.storage, options: options, password: password, hiddenPassword: hiddenPassword,
          cipher: cipher ?? .fastest(), control)
      }
      try directory.complete()
      return room
    } catch {
      directory.remove()
      throw error
    }
  }
}
