internal import ArgumentParser
internal import QuickUnlock
internal import SystemPackage
internal import Vault

/// The options that choose an unlock method.
struct UnlockOptions: ParsableArguments {
  @Flag(help: "In the keyring of your session: gnome-keyring, KWallet.")
  var keyring = false

  @Flag(name: .customLong("fido2"), help: "On a FIDO2 token that you touch.")
  var isFIDO2 = false

  @Flag(name: .customLong("tpm"), help: "Sealed by the TPM of this machine.")
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
    commandName: "list", abstract: "List the keys that are enrolled on this machine.",
    discussion: HelpText.passwordList)

  @Argument(help: "List only the keys of this vault.", completion: .directory)
  var vault: FilePath?

  func run() throws {
    let identifier = try vault.map { try Vault.opened(at: AbsolutePath.of($0)).identifierText }
    let found = try Enrolments().list(vault: identifier)
    for enrolment in found { Output.line("\(enrolment.vault)  \(enrolment.method.word)") }
    if found.isEmpty { Output.note("No key is enrolled on this machine\(vault.map { " for \($0)" } ?? "").") }
  }
}
