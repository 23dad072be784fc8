internal import ArgumentParser
internal import Crypto

/// `agonyfs create VAULT`.
struct CreateCommand: ParsableCommand {
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
  var password: PasswordOptions

  func validate() throws {
    let size = segmentSize.bytes
    guard (1 << 20...64 << 20).contains(size), size.nonzeroBitCount == 1 else {
      throw ValidationError("--segment-size must be a power of two from 1M to 64M.")
    }
  }

  func run() throws {
    let path = AbsolutePath.of(vault)
    try Spaces.checkNothingIs(at: path)
    let new = try password.source().password(for: .setting, prompt: "New password for \(path)")
    let parameters = NewVault(segmentSize: Int(segmentSize.bytes), cost: kdf, cipher: cipher, cover: cover.bytes)
    try Spaces.createVault(at: path, parameters, password: new)
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
