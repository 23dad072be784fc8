internal import ArgumentParser
internal import Storage
internal import SystemPackage
internal import Vault

/// A command for one vault.
protocol VaultCommand: ParsableCommand {
  /// The path of the vault, as given.
  var vault: FilePath { get }
}

extension VaultCommand {
  /// The vault's absolute path.
  var path: FilePath { AbsolutePath.of(vault) }

  /// Opens the vault, and says when key derivations are passed over. Throws `VaultError` and `DirectoryStorageError`.
  func openVault(_ options: DerivationOptions? = nil) throws -> Vault {
    let opened = try Vault.open(at: path, options?.weakDerivations ?? .none)
    if let warning = opened.derivationWarning { Output.note(warning) }
    return opened
  }
}

/// What a command that opens a space does about weak key derivations.
struct DerivationOptions: ParsableArguments {
  @Flag(
    name: .customLong("weak-derivations"),
    help: "Use key derivations below 64 MiB or 2 passes too; anybody who can write agonyfs.json can add one.")
  var acceptsWeak = false

  /// What weak derivations are used for.
  var weakDerivations: WeakDerivations { acceptsWeak ? .opening : .none }
}

extension Vault {
  /// Opens the vault in the directory at a path. Throws `VaultError` and `DirectoryStorageError`.
  static func open(at path: FilePath, _ weakDerivations: WeakDerivations = .none) throws -> Vault {
    try open(in: DirectoryStorage(path: path), weakDerivations: weakDerivations)
  }

  /// A sentence about key derivations that are passed over; nil if all are used.
  var derivationWarning: String? {
    let count = passedOverDerivations
    if count == 0 || count == parameters.derivations.count { return nil }
    let subject = count == 1 ? "a key derivation that is" : "key derivations that are"
    return "\(VaultParameters.fileName) has \(subject) too weak and not used. If you did not expect this, somebody "
      + "else changed that file."
  }
}
