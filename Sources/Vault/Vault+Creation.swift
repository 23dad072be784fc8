package import Crypto
package import Storage
internal import SystemPackage

/// The options for a new vault.
package struct VaultCreationOptions: Sendable {
  /// Bytes of every segment file; a power of two from 1 to 64 MiB.
  package var segmentSize = SegmentFormat.defaultSize
  /// The key derivation of its passwords.
  package var derivation = PasswordDerivation(cost: .moderate)
  /// Cover to add to the random amount, in bytes; nil for a drawn amount.
  package var cover: Int64?

  /// The defaults.
  package init() {}
}

extension Vault {
  /// Makes a vault: adds cover, calls `fill`, which may add spaces, and writes the parameters last. Without them a
  /// storage is no vault.
  ///
  /// - Throws: `.vaultExists` when the storage has parameters; `.noSpace`, before anything is written if the cover does
  ///   not fit; `.cancelled`; `.system`; what `fill` throws.
  package static func create(
    in storage: any Storage, options: VaultCreationOptions, _ control: OperationControl = OperationControl(),
    fill: (Vault) throws(VaultError) -> Void = { _ throws(VaultError) in }
  ) throws(VaultError) -> Vault {
    let parameters = VaultParameters(
      identifier: Sodium.randomBytes(VaultParameters.identifierSize), segmentSize: options.segmentSize,
      derivations: [options.derivation])
    guard try readParameters(of: storage) == nil else { throw .vaultExists }
    let vault = Vault(storage: storage, parameters: parameters)
    let count = try Cover.fileCount(options, in: storage.capacity())
    try vault.writeFiles((0..<count).map { _ in .random() }, control)
    try fill(vault)
    if control.isCancelled() { throw .cancelled }
    try attempt("writing the first files") { () throws(Errno) in
      try storage.replaceParameters(with: parameters.json)
    }
    return vault
  }

  /// Opens the vault in a storage.
  ///
  /// - Parameter weakDerivations: what weak key derivations among its parameters are used for.
  /// - Throws: `.notAVault`, `.newerFormat`, `.olderFormat`, `.system`.
  package static func open(
    in storage: any Storage, weakDerivations: WeakDerivations = .none
  ) throws(VaultError) -> Vault {
    guard let json = try readParameters(of: storage) else {
      throw .notAVault("it has no \(StorageNames.parameters)")
    }
    return Vault(storage: storage, parameters: try VaultParameters(json: json), weakDerivations: weakDerivations)
  }

  /// The parameters in a storage; nil if it has none.
  private static func readParameters(of storage: any Storage) throws(VaultError) -> [UInt8]? {
    do throws(Errno) {
      return try storage.readParameters(limit: VaultParameters.fileLimit)
    } catch .noSuchFileOrDirectory {
      return nil
    } catch .notRegularFile {
      throw .notAVault("its \(StorageNames.parameters) is not a regular file")
    } catch {
      throw .system(error, "reading \(StorageNames.parameters)")
    }
  }
}
