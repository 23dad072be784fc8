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
    commandName: "password", abstract: "Change, add or remove a password or key of a space.",
    subcommands: [Change.self, Add.self, Remove.self, EnrolledListCommand.self])

  struct Change: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "change", abstract: "Change the password of a space.",
      usage: "agonyfs password change [<options>] <vault>", discussion: HelpText.passwordChange)

    @Argument(help: "The vault.", completion: .directory)
    var vault: FilePath

    @Flag(help: "Encrypt the space with a new key, which ends its other passwords.")
    var rekey = false

    @Flag(help: "With --rekey: overwrite all old files, not only those with keys and lists.")
    var wipe = false

    @Flag(help: "With --rekey: end other passwords and keys without asking.")
    var yes = false

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Old password")
    var password: PasswordOptions<CurrentPassword>

    @OptionGroup(title: "New password")
    var newPassword: PasswordOptions<NewPassword>

    func validate() throws {
      if wipe, !rekey {
        throw ValidationError("--wipe needs --rekey; a change without --rekey overwrites the old slot in any case.")
      }
      if yes, !rekey { throw ValidationError("--yes needs --rekey; without it, other passwords keep working.") }
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
        Output.note("Interrupted; nothing is lost. Run the same command again, with the new password if that works.")
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
      try Terminal.confirm("\(open) this space, too. With a new key only the new password opens it.")
    }
  }

  struct Add: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add a password or a key to a space.",
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

    @Flag(help: "With --fido2: keep the credential on the token.")
    var resident = false

    @Flag(help: "With --tpm: ask for a PIN each time.")
    var pin = false

    @Flag(help: "Keep other keys that are enrolled for this vault.")
    var also = false

    @Flag(help: "Replace an enrolled key without asking.")
    var yes = false

    func validate() throws {
      if key.method != nil, newPassword.isGiven {
        throw ValidationError("Give a new password, or one of --keyring, --fido2 and --tpm; not both.")
      }
      if key.method == nil, also || yes {
        throw ValidationError("--also and --yes need --keyring, --fido2 or --tpm.")
      }
      if resident, !key.isFIDO2 { throw ValidationError("--resident needs --fido2.") }
      if pin, !key.isTPM { throw ValidationError("--pin needs --tpm; a token asks for its own PIN.") }
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
      commandName: "remove", abstract: "Remove a password or a key of a space.",
      discussion: HelpText.passwordRemove)

    @Argument(help: "The vault.", completion: .directory)
    var vault: FilePath

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Password to remove")
    var password: PasswordOptions<CurrentPassword>

    @OptionGroup(title: "A key instead of a password")
    var key: UnlockOptions

    @Flag(help: "Remove only the record on this machine, not the key in the vault.")
    var forget = false

    func validate() throws {
      if key.method != nil, password.isGiven {
        throw ValidationError("Give a password, or one of --keyring, --fido2 and --tpm; not both.")
      }
      if key.method == nil, forget { throw ValidationError("--forget needs --keyring, --fido2 or --tpm.") }
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
