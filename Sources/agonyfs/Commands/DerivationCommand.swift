internal import ArgumentParser
internal import Crypto
internal import System
internal import SystemPackage
internal import Vault

struct DerivationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kdf", abstract: "List key derivations, or add a stronger one.",
    subcommands: [Add.self, List.self])

  struct Add: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add a stronger key derivation for new passwords.",
      discussion: HelpText.derivationAdd)

    @Argument(help: "The vault.", completion: .directory)
    var vault: FilePath

    @Option(help: "interactive (64 MiB), moderate (256 MiB) or sensitive (1 GiB). (default: the next stronger one)")
    var kdf: KeyDerivationCost?

    func run() throws {
      let opened = try Vault.open(at: path)
      guard let new = kdf.map({ PasswordDerivation(cost: $0) }) ?? opened.nextDerivation else {
        throw CommandFailure(.failure, "\(path) has the strongest key derivation already; nothing was changed.")
      }
      let rivals = opened.parameters.derivations.filter { $0.work >= new.work }
      guard rivals.isEmpty else {
        throw CommandFailure(
          .usage, "\(path) already has a key derivation that is as strong (\(rivals[0].text)); nothing was changed.")
      }
      guard let time = new.seconds else {
        throw CommandFailure(
          .failure, "\(new.text) needs more memory than is free; nothing was changed. Choose another with --kdf.")
      }
      try opened.addDerivation(new)
      Output.line("Added \(new.text): \(time) s for each password on this machine.")
      Output.line("Passwords that are set from now on use it. Change the others with: agonyfs password change \(path)")
    }
  }

  struct List: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the key derivations of a vault, oldest first.")

    @Argument(help: "The vault.", completion: .directory)
    var vault: FilePath

    func run() throws {
      let opened = try Vault.open(at: path)
      for derivation in opened.parameters.derivations {
        Output.line(derivation.text + (derivation.isWeak ? " (too weak, not used)" : ""))
      }
    }
  }
}

extension PasswordDerivation {
  /// The description for users: `argon2id13, 3 passes over 256 MiB`.
  var text: String { "argon2id13, \(operations.counted("pass", "passes")) over \(ByteSize(bytes: Int64(memory)))" }

  /// How long a password takes on this machine, in seconds with two decimals; nil if memory does not suffice.
  var seconds: String? {
    let password = unsafe withUnsafeBytes(of: 0) { unsafe Password(copying: $0) }
    let start = monotonicTime()
    guard derive(password) != nil else { return nil }
    let hundredths = (monotonicTime() - start) / 10_000_000
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}
