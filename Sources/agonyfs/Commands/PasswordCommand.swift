internal import Albums
internal import ArgumentParser
internal import Crypto
internal import Logging

/// `agonyfs password change VAULT`.
struct PasswordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "password", abstract: "Change, add or remove a password of a space.",
    subcommands: [Change.self, Add.self, Remove.self])

  /// `agonyfs password change VAULT`.
  struct Change: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "change", abstract: "Change the password of the space that the old one opens.",
      discussion: HelpText.passwordChange)

    @Argument(help: "The vault.", completion: .directory)
    var vault: String

    @Flag(help: "Encrypt everything with a new key. No other password opens the space afterwards.")
    var rekey = false

    @Flag(help: "With --rekey, overwrite all files that it replaces, not only those that keys and lists are in.")
    var wipe = false

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Old password")
    var password: PasswordOptions<CurrentPassword>

    @OptionGroup(title: "New password")
    var newPassword: PasswordOptions<NewPassword>

    func validate() throws {
      if wipe, !rekey { throw ValidationError("--wipe is for --rekey; without it everything is overwritten anyway.") }
    }

    func run() throws {
      let opened = try openVault(derivations)
      defer { opened.endChange() }
      let old = try password.source().password(for: .opening, prompt: "Old password for \(path)")
      let new = try newPassword.source().password(for: .setting, prompt: "New password")
      if !rekey { return try SpaceManager.changePassword(in: opened, old: old, new: new) }
      try LongOperation.run("encrypting again") { control in
        try SpaceManager.replaceKey(in: opened, old: old, new: new, wipingAll: wipe, logger: .system, control)
      }
    }
  }

  /// `agonyfs password add VAULT`.
  struct Add: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add a password to the space that another one opens.",
      discussion: HelpText.passwordAdd)

    @Argument(help: "The vault.", completion: .directory)
    var vault: String

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Password that opens the space")
    var password: PasswordOptions<CurrentPassword>

    @OptionGroup(title: "New password")
    var newPassword: PasswordOptions<NewPassword>

    func run() throws {
      let opened = try openVault(derivations)
      defer { opened.endChange() }
      let existing = try password.source().password(for: .opening, prompt: "Password for \(path)")
      let new = try newPassword.source().password(for: .setting, prompt: "New password")
      try SpaceManager.addPassword(in: opened, existing: existing, new: new)
    }
  }

  /// `agonyfs password remove VAULT`.
  struct Remove: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a password of a space that another one opens too.",
      discussion: HelpText.passwordRemove)

    @Argument(help: "The vault.", completion: .directory)
    var vault: String

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Password to remove")
    var password: PasswordOptions<CurrentPassword>

    func run() throws {
      let opened = try openVault(derivations)
      defer { opened.endChange() }
      let removed = try password.source().password(for: .opening, prompt: "Password to remove")
      try SpaceManager.removePassword(in: opened, removed)
    }
  }
}
