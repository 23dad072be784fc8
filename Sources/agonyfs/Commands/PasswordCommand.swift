internal import Albums
internal import ArgumentParser
internal import Crypto

/// `agonyfs password change VAULT`.
struct PasswordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "password", abstract: "Change the password of a space.", subcommands: [Change.self])

  /// `agonyfs password change VAULT`.
  struct Change: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "change", abstract: "Change the password of the space that the old one opens.",
      discussion: HelpText.passwordChange)

    @Argument(help: "The vault.", completion: .directory)
    var vault: String

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Old password")
    var password: PasswordOptions<CurrentPassword>

    @OptionGroup(title: "New password")
    var newPassword: PasswordOptions<NewPassword>

    func run() throws {
      let opened = try openVault(derivations)
      let old = try password.source().password(for: .opening, prompt: "Old password for \(path)")
      let new = try newPassword.source().password(for: .setting, prompt: "New password")
      try SpaceManager.changePassword(in: opened, old: old, new: new)
    }
  }
}
