// The command's only access to vaults and spaces. Everything it needs of the layers below, except mounting, is here.

internal import Albums
internal import Crypto
internal import Logging
internal import Media
internal import Mount
internal import Storage
internal import System
internal import Vault

/// The choices of `create`.
struct NewVault {
  /// Bytes of every file.
  var segmentSize = 4 << 20
  /// The work per password attempt.
  var cost = KeyDerivationCost.moderate
  /// The cipher of the first space; nil for the faster one.
  var cipher: CipherSuite?
  /// Cover to add to the random amount, in bytes.
  var cover: Int64 = 0
}

/// The spaces of one vault. Everything throws `CommandFailure`, with the vault's path in its sentence.
struct Spaces {
  /// The vault's absolute path.
  let path: String
  private let vault: Vault

  /// Opens the vault at a path.
  init(vault path: String) throws {
    let absolute = AbsolutePath.of(path)
    self.path = absolute
    let storage = try Self.wording(absolute) { () throws(DirectoryStorageError) in
      try DirectoryStorage(path: absolute)
    }
    do throws(VaultError) {
      vault = try Vault.open(in: storage)
    } catch .system(let error, let action) {
      throw CommandFailure(error, doing: "\(action) in \(absolute)")
    } catch {
      throw CommandFailure(error, vault: absolute)
    }
  }

  /// Checks that a vault can be created at a path, before a password is asked for.
  static func checkNothingIs(at path: String) throws {
    guard Directory.isNothing(at: path) else { throw CommandFailure(VaultError.vaultExists, vault: path) }
  }

  /// Creates a vault and its first space. Removes them again if this cannot be completed.
  static func createVault(at path: String, _ new: NewVault, password: Password) throws {
    let directory = try wording(path) { () throws(DirectoryStorageError) in try DirectoryCreation(at: path) }
    do throws(VaultError) {
      var options = VaultCreationOptions()
      options.segmentSize = new.segmentSize
      options.derivation = PasswordDerivation(cost: new.cost)
      options.extraCover = new.cover
      let vault = try Vault.create(in: directory.storage, options: options)
      try SpaceManager.addSpace(to: vault, password: password, options: SpaceOptions(cipher: new.cipher))
    } catch {
      directory.remove()
      throw CommandFailure(error, vault: path)
    }
  }

  /// Adds an empty space.
  func add(_ password: Password, cipher: CipherSuite?) throws {
    try Self.wording(path) { () throws(VaultError) in
      try SpaceManager.addSpace(to: vault, password: password, options: SpaceOptions(cipher: cipher))
    }
  }

  /// Deletes the space that the password opens.
  func remove(_ password: Password) throws {
    try Self.wording(path) { () throws(VaultError) in
      try SpaceManager.removeSpace(from: vault, password: password)
    }
  }

  /// Makes `new` open the space that `old` opens.
  func changePassword(from old: Password, to new: Password) throws {
    try Self.wording(path) { () throws(VaultError) in
      try SpaceManager.changePassword(in: vault, old: old, new: new)
    }
  }

  /// Opens the space of a password.
  func open(_ password: Password, readOnly: Bool, acceptsOlder: Bool, copyWindow: Duration?) throws -> Space {
    try Self.wording(path) { () throws(VaultError) in
      try SpaceManager.openSpace(
        in: vault, password: password, readOnly: readOnly, acceptOlder: acceptsOlder,
        copyWindow: copyWindow?.components.seconds ?? Space.defaultCopyWindow)
    }
  }

  /// What the vault reveals without a password.
  func publicInformation() throws -> VaultInformation {
    let parameters = vault.parameters
    var files = 0
    do {
      try vault.storage.list { _ in
        files += 1
        return true
      }
    } catch {
      throw CommandFailure(error, doing: "reading the vault's directory")
    }
    return VaultInformation(
      path: path, format: VaultParameters.currentFormat,
      identifier: Hexadecimal.text(of: parameters.identifier),
      segmentSize: parameters.segmentSize, files: files, bytes: Int64(files) * Int64(parameters.segmentSize),
      isReadOnly: vault.isReadOnly,
      keyDerivations: parameters.derivations.map {
        VaultInformation.Derivation(algorithm: "argon2id13", operations: $0.operations, memory: $0.memory)
      })
  }

  /// Figures of the space that the password opens.
  func information(_ password: Password) throws -> SpaceInformation {
    try Self.wording(path) { () throws(VaultError) in try SpaceManager.information(in: vault, password: password) }
  }

  /// Verifies everything that the password reaches.
  func check(_ password: Password, readData: Bool) throws -> CheckReport {
    try Self.wording(path) { () throws(VaultError) in
      try SpaceManager.check(in: vault, password: password, readData: readData)
    }
  }

  /// Checks everything, including every byte, and plans a repair.
  func planRepair(_ password: Password) throws -> Repair {
    try Self.wording(path) { () throws(VaultError) in try SpaceManager.planRepair(in: vault, password: password) }
  }

  /// Carries out a planned repair; returns what is wrong afterwards.
  func carryOut(_ repair: Repair) throws -> CheckReport {
    try Self.wording(path) { () throws(VaultError) in try repair.carryOut() }
  }

  private static func wording<R>(
    _ path: String, _ body: () throws(DirectoryStorageError) -> R
  ) throws(CommandFailure) -> R {
    do throws(DirectoryStorageError) {
      return try body()
    } catch {
      throw CommandFailure(error, vault: path)
    }
  }

  private static func wording<R>(_ path: String, _ body: () throws(VaultError) -> R) throws(CommandFailure) -> R {
    do throws(VaultError) {
      return try body()
    } catch {
      throw CommandFailure(error, vault: path)
    }
  }
}

extension Spaces {
  /// The file system in a space; `keepCheckpoint` gets records of its durable states.
  func fileSystem(
    of space: Space, _ mount: MountOptions, keepCheckpoint: (@Sendable (CheckpointRecord) -> Void)?, logger: Logger
  ) throws -> FileSystem {
    var options = FileSystemOptions(logger: logger)
    options.keepCheckpoint = keepCheckpoint
    options.isReadOnly = mount.isReadOnly
    if mount.thumbnails != .none {
      let decoder = Decoder(
        program: DecoderProgram.path, sandbox: mount.requiresDecoderSandbox ? .required : .preferred, logger: logger)
      var thumbnails = ThumbnailOptions(maker: decoder)
      thumbnails.isLazy = mount.thumbnails == .lazy
      options.thumbnails = thumbnails
    }
    do throws(FileSystemError) {
      return try FileSystem(space: space, options: options)
    } catch {
      switch error {
      case .damaged(let reason): throw CommandFailure(VaultError.damaged(reason), vault: path)
      case .noSpace: throw CommandFailure(VaultError.noSpace, vault: path)
      case .failed(let reason): throw CommandFailure(.failure, "The space in \(path) cannot be opened: \(reason).")
      }
    }
  }
}
