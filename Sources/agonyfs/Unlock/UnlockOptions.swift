internal import ArgumentParser
internal import QuickUnlock
internal import SystemPackage
internal import Vault

/// The options that say what holds a key.
struct UnlockOptions: ParsableArguments {
  @Flag(help: "A random key in the keyring of the session (Secret Service: gnome-keyring, KWallet).")
  var keyring = false

  @Flag(name: .customLong("fido2"), help: "A key that a FIDO2 token computes when it is touched.")
  var isFIDO2 = false

  @Flag(name: .customLong("tpm"), help: "A random key that the TPM of this machine seals.")
  var isTPM = false

  var method: UnlockMethod? { keyring ? .keyring : isFIDO2 ? .fido2 : isTPM ? .tpm : nil }

  func validate() throws {
    if [keyring, isFIDO2, isTPM].count(where: \.self) > 1 {
      throw ValidationError("Give one of --keyring, --fido2 and --tpm.")
    }
  }
}

struct EnrolledListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what is enrolled on this machine to open spaces without typing.",
    discussion: HelpText.passwordList)

  @Argument(help: "Only what is enrolled for this vault.", completion: .directory)
  var vault: FilePath?

  func run() throws {
    let identifier = try vault.map { try Vault.opened(at: AbsolutePath.of($0)).identifierText }
    let found = try Enrolments().list(vault: identifier)
    for enrolment in found { Output.line("\(enrolment.vault)  \(enrolment.method.word)") }
    if found.isEmpty { Output.note("Nothing is enrolled on this machine\(vault.map { " for \($0)" } ?? "").") }
  }
}
