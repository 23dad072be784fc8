internal import Albums
internal import ArgumentParser
internal import Client
internal import Crypto
internal import Library
internal import Logging
internal import System
internal import SystemPackage
internal import Vault

struct PasswordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "password", abstract: "Change, add or remove a password of a space.",
    subcommands: [Change.self, Add.self, Remove.self, EnrolledListCommand.self])

  struct Change: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "change", abstract: "Change the password of the space that the old one opens.",
      discussion: HelpText.passwordChange)

    @Argument(help: "The vault.", completion: .directory)
    var vault: FilePath

    @Flag(help: "Encrypt everything with a new key. No other password opens the space afterwards.")
    var rekey = false

    @Flag(help: "With --rekey, overwrite all files that it replaces, not only those that keys and lists are in.")
    var wipe = false

    @Flag(help: "With --rekey, end the other passwords and keys of the space without asking.")
    var yes = false

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Old password")
    var password: PasswordOptions<CurrentPassword>

    @OptionGroup(title: "New password")
    var newPassword: PasswordOptions<NewPassword>

    func validate() throws {
      if wipe, !rekey { throw ValidationError("--wipe is for --rekey; without it everything is overwritten anyway.") }
      if yes, !rekey { throw ValidationError("--yes is for --rekey; without it no other password is lost.") }
    }

    func run() throws {
      let opened = try openVault(derivations)
      let old = try password.source().password(for: .opening, prompt: "Old password for \(path)")
      let new = try newPassword.source().password(for: .setting, prompt: "New password")
      if !rekey { return try SpaceManager.changePassword(in: opened, old: old, new: new) }
      let replacement = try KeyReplacement(in: opened, old: old, new: new)
      let others = replacement.otherPasswords
      try confirmEnd(of: others)
      let signals = HeldSignals()
      defer { signals.release() }
      do {
        try LongOperation.run("encrypting again", heldBy: signals) { control in
          try replacement.run(wipingAll: wipe, changeSink: Library.idle, logger: .system, control)
        }
      } catch VaultError.cancelled {
        Output.note("Interrupted; nothing is lost. Try the new password first, and end it with the same command.")
        throw VaultError.cancelled
      }
      if others > 0 {
        Output.note(
          "\(others == 1 ? "The other password or key" : "\(others) other passwords and keys") of this space no longer "
            + "\(others == 1 ? "opens" : "open") anything; set \(others == 1 ? "it" : "them") again with: "
            + "agonyfs password add \(TerminalText.safe(path.bytes))")
      }
    }

    private func confirmEnd(of others: Int) throws {
      guard others > 0, !yes else { return }
      let open = others.counted("other password or key opens", "other passwords or keys open")
      try Terminal.confirm("\(open) this space, and with a new key only the new password will.")
    }
  }

  struct Add: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add a password to the space that another one opens.",
      discussion: HelpText.passwordAdd)

    @Argument(help: "The vault.", completion: .directory)
    var vault: FilePath

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Password that opens the space")
    var password: PasswordOptions<CurrentPassword>

    @OptionGroup(title: "New password")
    var newPassword: PasswordOptions<NewPassword>

    @OptionGroup(title: "A key instead of a new password")
    var key: UnlockOptions

    @Flag(help: "With --fido2, the token keeps the credential, and this machine no handle of it.")
    var resident = false

    @Flag(help: "With --tpm, ask for a PIN each time. The TPM blocks those who guess.")
    var pin = false

    @Flag(help: "Keep what else is enrolled on this machine for the vault. Without it, it is replaced.")
    var also = false

    @Flag(help: "Replace what is enrolled without asking.")
    var yes = false

    func validate() throws {
      if key.method != nil, newPassword.isGiven {
        throw ValidationError("Give a new password, or what is to hold a key; not both.")
      }
      if key.method == nil, also || yes {
        throw ValidationError("--also and --yes are for --keyring, --fido2 and --tpm.")
      }
      if resident, !key.isFIDO2 { throw ValidationError("--resident is for --fido2.") }
      if pin, !key.isTPM { throw ValidationError("--pin is for --tpm; a token asks for its own PIN.") }
    }

    func run() throws {
      let opened = try openVault(derivations)
      if let method = key.method {
        let enrolling = Enrolling(
          vault: opened, path: path, method: method, keepsOthers: also, mayReplace: yes, isResident: resident,
          hasPIN: pin)
        return try enrolling.enrol(password)
      }
      let existing = try password.source().password(for: .opening, prompt: "Password for \(path)")
      let new = try newPassword.source().password(for: .setting, prompt: "New password")
      try SpaceManager.addPassword(in: opened, existing: existing, new: new)
    }
  }

  struct Remove: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a password of a space that another one opens too.",
      discussion: HelpText.passwordRemove)

    @Argument(help: "The vault.", completion: .directory)
    var vault: FilePath

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Password to remove")
    var password: PasswordOptions<CurrentPassword>

    @OptionGroup(title: "A key instead of a password")
    var key: UnlockOptions

    @Flag(help: "Take away only what this machine keeps, without opening the space. The vault keeps the slot.")
    var forget = false

    func validate() throws {
      if key.method != nil, password.isGiven {
        throw ValidationError("Give a password, or what holds the key; not both.")
      }
      if key.method == nil, forget { throw ValidationError("--forget is for --keyring, --fido2 and --tpm.") }
    }

    func run() throws {
      let opened = try openVault(derivations)
      if let method = key.method {
        return try Unenrolling(vault: opened, path: path, method: method).run(onlyForgetting: forget)
      }
      let removed = try password.source().password(for: .opening, prompt: "Password to remove")
      try SpaceManager.removePassword(in: opened, removed)
    }
  }
}
