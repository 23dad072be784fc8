internal import ArgumentParser
internal import Crypto
internal import Storage
internal import SystemPackage
internal import Vault

/// A command for one vault.
protocol VaultCommand: ParsableCommand {
  /// The path of the vault, as given.
  var vault: FilePath { get }
}

extension VaultCommand {
  var path: FilePath { AbsolutePath.of(vault) }

  /// Opens the vault, and notes weak key derivations that are skipped. Throws `VaultError` and `DirectoryStorageError`.
  func openVault(_ options: DerivationOptions? = nil) throws -> Vault {
    let opened = try Vault.open(at: path, options?.weakDerivations ?? .none)
    if let warning = opened.derivationWarning { Output.note(warning) }
    return opened
  }

  /// Opens the vault, prints the warning, and asks for the password of a space.
  func openVault(_ options: OpeningOptions, asking prompt: String, warning: String? = nil) throws -> (Vault, Password) {
    let opened = try openVault(options.derivations)
    if let warning { Output.note(warning) }
    return (opened, try options.password.source().password(for: .opening, prompt: prompt))
  }
}

/// The options of commands that open a space.
struct OpeningOptions: ParsableArguments {
  @OptionGroup
  var derivations: DerivationOptions

  @OptionGroup(title: "Password")
  var password: PasswordOptions<CurrentPassword>
}

/// The option for weak key derivations, for commands that open a space.
struct DerivationOptions: ParsableArguments {
  @Flag(
    name: .customLong("weak-derivations"),
    help: "Also use key derivations below 64 MiB or 2 passes, which anybody who can write agonyfs.json can add.")
  var acceptsWeak = false

  var weakDerivations: WeakDerivations { acceptsWeak ? .opening : .none }
}

extension Vault {
  /// Opens the vault in a directory for a command that does not mount it. Throws `VaultError` and
  /// `DirectoryStorageError`.
  static func open(at path: FilePath, _ weakDerivations: WeakDerivations = .none) throws -> Vault {
    try open(in: UsedVaults.noted(DirectoryStorage(path: path)), weakDerivations: weakDerivations)
  }

  /// As `open`, but with errors as sentences about this vault.
  static func opened(at path: FilePath) throws -> Vault {
    do { return try open(at: path) } catch { throw CommandFailure(any: error, vault: path) ?? error }
  }

  /// A sentence about key derivations that are skipped; nil if all are used.
  var derivationWarning: String? {
    let count = passedOverDerivations
    if count == 0 || count == parameters.derivations.count { return nil }
    let subject = count == 1 ? "a key derivation that is" : "key derivations that are"
    return "\(VaultParameters.fileName) has \(subject) too weak and not used. If you did not expect this, another "
      + "person changed that file."
  }
}
