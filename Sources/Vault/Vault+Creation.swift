package import Crypto
package import Storage
internal import SystemPackage

/// The options for a new vault.
package struct VaultCreationOptions: Sendable {
  /// Bytes of every segment file; a power of two from 1 to 64 MiB.
  package var segmentSize = SegmentFormat.defaultSize
  /// The key derivation of its passwords.
  package var derivation = PasswordDerivation(cost: .moderate)
  /// Cover to add to the random amount, in bytes.
  package var extraCover: Int64 = 0

  /// The defaults.
  package init() {}
}

extension Vault {
  /// Makes a vault without a space: adds cover, and last the parameters. Without them a storage is no vault.
  ///
  /// - Throws: `.vaultExists` when the storage has parameters; `.noSpace`; `.system`.
  package static func create(
    in storage: any Storage, options: VaultCreationOptions
  ) throws(VaultError) -> Vault {
    let parameters = VaultParameters(
      identifier: Sodium.randomBytes(VaultParameters.identifierSize), segmentSize: options.segmentSize,
      derivations: [options.derivation])
    guard try readParameters(of: storage) == nil else { throw .vaultExists }
    let vault = Vault(storage: storage, parameters: parameters)
    try attempt("writing the first files") { () throws(Errno) in
      try vault.addCover(extraBytes: options.extraCover)
      try storage.replaceParameters(with: parameters.json)
    }
    return vault
  }

  /// Opens the vault in a storage.
  ///
  /// - Throws: `.notAVault`, `.newerFormat`, `.olderFormat`, `.system`.
  package static func open(in storage: any Storage) throws(VaultError) -> Vault {
    guard let json = try readParameters(of: storage) else {
      throw .notAVault("it has no \(StorageNames.parameters)")
    }
    return Vault(storage: storage, parameters: try VaultParameters(json: json))
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

  /// Adds random files that no key opens. So files that no known password explains are normal in every vault.
  func addCover(extraBytes: Int64) throws(Errno) {
    let chance = Int64(Cover.randomCount()) * Int64(parameters.segmentSize)
    let bearable = max(4 * Int64(parameters.segmentSize), storage.capacity().free / 20)
    let count = (min(chance, bearable) + extraBytes) / Int64(parameters.segmentSize)
    for _ in 0..<count {
      let writer = try storage.create(SegmentIdentifier(bytes: Sodium.randomBytes(SegmentIdentifier.size)))
      try padSegment(writer, from: 0, size: parameters.segmentSize)
    }
  }
}

/// The number of cover segments in a new vault.
enum Cover {
  static let least = 4

  /// A number of at least four from a Pareto distribution of exponent 1: half of all vaults get 8 or more, one in a
  /// hundred 400 or more.
  static func randomCount() -> Int {
    var generator = SystemRandomNumberGenerator()
    let uniform = Double.random(in: 0x1p-20..<1, using: &generator)
    return Int(Double(least) / uniform)
  }
}
