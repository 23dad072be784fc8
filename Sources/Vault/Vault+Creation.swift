package import Crypto
package import Storage
internal import SystemPackage

/// The options for a new vault.
package struct VaultCreationOptions: Sendable {
  /// Bytes of every segment file; a power of two from 1 to 64 MiB.
  package var segmentSize = SegmentFormat.defaultSize
  /// The key derivation of its passwords.
  package var derivation = PasswordDerivation(cost: .moderate)
  /// How much a space that owns the vault's cover can store, in bytes; nil for a drawn amount.
  package var cover: Int64?
  /// Whether a space of the vault owns the cover.
  package var hasHiddenSpace = false
  /// The numbers of files, after they are drawn.
  private var count: Cover.Count?

  /// The defaults.
  package init() {}

  /// Draws the number of cover files. Without this call, the creation of the vault draws it.
  ///
  /// - Returns: how much a space that owns the cover can store, in bytes.
  /// - Throws: `.noSpace` when the cover does not fit.
  package mutating func drawCover(in storage: any Storage) throws(VaultError) -> Int64 {
    RoomBudget.usableBytes(files: try coverCount(in: storage).ownable, segmentSize: segmentSize)
  }

  /// The numbers that were drawn, now or before.
  fileprivate mutating func coverCount(in storage: any Storage) throws(VaultError) -> Cover.Count {
    if let count { return count }
    let drawn = try Cover.count(for: cover, segmentSize: segmentSize, in: storage.capacity())
    count = drawn
    return drawn
  }
}

extension Vault {
  /// Creates a vault: first the files of its spaces and of its cover in one random order, then the parameters. A
  /// storage without parameters does not count as a vault.
  ///
  /// - Parameter spaces: returns the files of the spaces. Its argument is the number of files that the hidden space
  ///   owns, or 0 if there is no hidden space.
  ///
  /// - Throws: `.vaultExists` when the storage has parameters; `.noSpace`, before anything is written if the cover does
  ///   not fit; `.cancelled`; `.system`; the errors of `spaces`.
  package static func create(
    in storage: any Storage, options: VaultCreationOptions, _ control: OperationControl = OperationControl(),
    spaces: (Vault, _ ownFiles: Int64) throws(VaultError) -> [NewFile] = { _, _ throws(VaultError) in [] }
  ) throws(VaultError) -> Vault {
    let parameters = VaultParameters(
      identifier: Sodium.randomBytes(VaultParameters.identifierSize), segmentSize: options.segmentSize,
      derivations: [options.derivation])
    guard try readParameters(of: storage) == nil else { throw .vaultExists }
    let vault = Vault(storage: storage, parameters: parameters)
    var options = options
    let count = try options.coverCount(in: storage)
    let ownFiles = options.hasHiddenSpace ? count.ownable : 0
    if options.hasHiddenSpace, RoomBudget.usableBytes(files: ownFiles, segmentSize: options.segmentSize) == 0 {
      throw .tooLittleCover
    }
    let files = try spaces(vault, ownFiles)
    let cover = (0..<count.ownable - ownFiles + count.random).map { _ in NewFile.random() }
    try vault.writeFiles((files + cover).shuffled(), control)
    if control.isCancelled() { throw .cancelled }
    try attempt("writing the first files") { () throws(Errno) in
      try storage.replaceParameters(with: parameters.json)
    }
    return vault
  }

  /// Adds cover that no space owns: the number of files that a space has that can store `size` bytes in its own cover,
  /// and a random number more. Durable on return.
  ///
  /// - Throws: `.noSpace`, before anything is written; `.cancelled`; `.vaultInUse`; `.system`.
  package func addCover(
    for size: Int64, _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    let lease = try leaseToAddSpace()
    defer { withExtendedLifetime(lease) {} }
    let count = try Cover.count(for: size, segmentSize: parameters.segmentSize, in: storage.capacity())
    let files = (0..<count.ownable + count.random).map { _ in NewFile.random() }
    // Two files come last, because a space has two slot files, which are written last.
    try addFiles(Array(files.dropFirst(2)), last: Array(files.prefix(2)), control)
  }

  /// The number of files of a space that can store `size` bytes in its own cover, and of random files that are added
  /// with it.
  ///
  /// - Throws: `.noSpace` when they do not fit.
  package func coverCount(for size: Int64) throws(VaultError) -> (own: Int64, random: Int64) {
    let count = try Cover.count(for: size, segmentSize: parameters.segmentSize, in: storage.capacity())
    return (count.ownable, count.random)
  }

  /// The number of files of a space that can store `size` bytes in its own cover.
  package func coverFiles(for size: Int64) -> Int64 {
    RoomBudget.files(for: size, segmentSize: parameters.segmentSize)
  }

  /// How many bytes a space that owns `count` files can store.
  package func usableBytes(ofCover count: Int) -> Int64 {
    RoomBudget.usableBytes(files: Int64(count), segmentSize: parameters.segmentSize)
  }

  /// This vault's parameters over a storage in memory, in which a space can be created.
  package func draft(in storage: DraftStorage) -> Vault {
    Vault(storage: storage, parameters: parameters, weakDerivations: weakDerivations, clock: clock)
  }

  /// Opens the vault in a storage.
  ///
  /// - Parameter weakDerivations: the purposes for which weak key derivations among its parameters are used.
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
