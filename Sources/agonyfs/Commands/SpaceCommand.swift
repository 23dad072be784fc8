internal import Albums
internal import ArgumentParser
internal import Crypto

/// `agonyfs space add | remove VAULT`.
struct SpaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "space", abstract: "Add an empty space, or remove one with everything in it.",
    subcommands: [Add.self, Remove.self])

  /// `agonyfs space add VAULT`.
  struct Add: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add an empty space that a new password opens.", discussion: HelpText.spaceAdd)

    @Argument(help: "The vault.", completion: .directory)
    var vault: String

    @Option(help: "Cipher of the space. (default: the faster one on this machine)")
    var cipher: CipherSuite?

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Password")
    var password: PasswordOptions<CurrentPassword>

    func run() throws {
      let opened = try openVault(derivations)
      let new = try password.source().password(for: .setting, prompt: "New password for \(path)")
      try SpaceManager.addSpace(to: opened, password: new, cipher: cipher ?? .fastest())
    }
  }

  /// `agonyfs space remove VAULT`.
  struct Remove: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove the space that a password opens.", discussion: HelpText.spaceRemove)

    @Argument(help: "The vault.", completion: .directory)
    var vault: String

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Password")
    var password: PasswordOptions<CurrentPassword>

    func run() throws {
      let opened = try openVault(derivations)
      let current = try password.source().password(for: .opening, prompt: "Password of the space to remove")
      try SpaceManager.removeSpace(from: opened, password: current)
    }
  }
}
