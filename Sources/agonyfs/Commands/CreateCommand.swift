internal import Albums
internal import ArgumentParser
internal import Crypto
internal import Storage
internal import System
internal import Vault

/// `agonyfs create VAULT`.
struct CreateCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a vault and its first space.", discussion: HelpText.create)

  @Argument(help: "The new vault; nothing or an empty directory may be at this path.", completion: .directory)
  var vault: String

  @Option(help: "Work to try one password: interactive (64 MiB), moderate (256 MiB) or sensitive (1 GiB).")
  var kdf: KeyDerivationCost = .moderate

  @Option(help: "Cipher of the first space. (default: the faster one on this machine)")
  var cipher: CipherSuite?

  @Option(help: ArgumentHelp("Size of every file in the vault, a power of two from 1M to 64M.", valueName: "size"))
  var segmentSize = ByteSize(bytes: 4 << 20)

  @Option(help: ArgumentHelp("Cover to add to the random amount, such as 20G.", valueName: "size"))
  var cover = ByteSize(bytes: 0)

  @OptionGroup(title: "Password")
  var password: PasswordOptions<CurrentPassword>

  func validate() throws {
    let size = segmentSize.bytes
    guard (1 << 20...64 << 20).contains(size), size.nonzeroBitCount == 1 else {
      throw ValidationError("--segment-size must be a power of two from 1M to 64M.")
    }
  }

  func run() throws {
    guard Directory.isNothing(at: path) else { throw VaultError.vaultExists }
    let new = try password.source().password(for: .setting, prompt: "New password for \(path)")
    var options = VaultCreationOptions()
    options.segmentSize = Int(segmentSize.bytes)
    options.derivation = PasswordDerivation(cost: kdf)
    options.extraCover = cover.bytes
    try Vault.create(at: path, options, password: new, cipher: cipher)
  }
}

extension Vault {
  /// Creates a vault and its first space; without a cipher, with the faster one. Removes them again if this cannot be
  /// completed. Throws `VaultError` and `DirectoryStorageError`.
  static func create(
    at path: String, _ options: VaultCreationOptions = .init(), password: Password, cipher: CipherSuite? = nil
  ) throws {
    let directory = try DirectoryCreation(at: path)
    do {
      let vault = try create(in: directory.storage, options: options)
      try SpaceManager.addSpace(to: vault, password: password, cipher: cipher ?? .fastest())
    } catch {
      directory.remove()
      throw error
    }
  }
}

extension KeyDerivationCost: ExpressibleByArgument {}

extension CipherSuite: ExpressibleByArgument {
  /// The suite of a name such as `aes-256-gcm`.
  package init?(argument: String) { self.init(name: argument) }

  /// The names, for help and completion.
  package static var allValueStrings: [String] { allCases.map(\.name) }

  /// The name, for help.
  package var defaultValueDescription: String { name }
}
