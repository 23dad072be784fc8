internal import Albums
internal import ArgumentParser
internal import Crypto
internal import Storage
internal import System
internal import SystemPackage
internal import Vault

struct CreateCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a vault and its first space.",
    usage: "agonyfs create [<options>] <vault>", discussion: HelpText.create)

  @Argument(help: "The new vault.", completion: .directory)
  var vault: FilePath

  @Option(help: "Work for each password: 64 MiB, 256 MiB or 1 GiB.")
  var kdf: KeyDerivationCost = .moderate

  @Option(help: "Cipher of the first space. (default: the faster one here)")
  var cipher: CipherSuite?

  @Option(help: ArgumentHelp("Size of each file, a power of two from 1M to 64M.", valueName: "size"))
  var segmentSize = ByteSize(bytes: 4 << 20)

  @Option(
    help: ArgumentHelp(
      "Cover, such as 20G, plus a small random amount. (default: random, 256M to 4G, at most 1/20 of the free room)",
      valueName: "size"))
  var cover: ByteSize?

  @OptionGroup(title: "Password")
  var password: PasswordOptions<CurrentPassword>

  @Flag(help: "For scripts: create a second space, which owns the cover. The terminal asks for it anyway.")
  var hidden = false

  @OptionGroup(title: "Password of the hidden space")
  var hiddenPassword: PasswordOptions<HiddenPassword>

  private var hasHiddenSpace: Bool { hidden || hiddenPassword.isGiven }

  func validate() throws {
    let size = segmentSize.bytes
    guard (1 << 20...64 << 20).contains(size), size.nonzeroBitCount == 1 else {
      throw ValidationError("--segment-size must be a power of two from 1M to 64M.")
    }
    if hasHiddenSpace, cover?.bytes == 0 {
      throw ValidationError("A hidden space needs cover; leave out --cover, or give it a size above 0.")
    }
  }

  func run() throws {
    guard try DirectoryCreation.isPossible(at: path) else { throw VaultError.vaultExists }
    try checkRoom()
    let source = password.source()
    let asksForAnother = !hasHiddenSpace && cover?.bytes != 0 && source.isTerminal
    if asksForAnother { Output.note(PasswordAdvice.general) }
    let new = try source.password(for: .setting, prompt: "New password for \(path)")
    let other = try otherPassword(isAskedFor: asksForAnother)
    if let other, other.normalized.bytes.equals(new.normalized.bytes) {
      throw CommandFailure(.usage, "The two spaces need different passwords; nothing was done.")
    }
    var options = VaultCreationOptions()
    options.segmentSize = Int(segmentSize.bytes)
    options.derivation = PasswordDerivation(cost: kdf)
    options.cover = cover?.bytes
    let room = try NewVault.create(at: path, options, password: new, hiddenPassword: other, cipher: cipher)
    // The words are the same whether or not a space owns the cover, and give no number of files.
    if cover?.bytes == 0 {
      Output.note("With --cover 0 the vault's number of files reveals a second space with more than a few photos.")
    } else if room == 0 {
      Output.note("The cover is too small for a hidden space; --cover SIZE makes more.")
    } else {
      Output.note("The cover is large enough for a hidden space that can store \(ByteSize(bytes: room)).")
    }
  }

  /// The password of the second space; nil for none. At a terminal the user is asked, because `--hidden` would stay in
  /// the shell's history.
  private func otherPassword(isAskedFor: Bool) throws -> Password? {
    if hasHiddenSpace {
      return try hiddenPassword.source().password(for: .setting, prompt: "New password for the hidden space")
    }
    guard isAskedFor else { return nil }
    return try PasswordSource.askedForAnyway(for: .setting, prompt: "Password of another space")
  }

  /// Throws status 17 if the cover cannot fit, before the user types a password.
  private func checkRoom() throws {
    let room = DirectoryStorage.capacity(near: path)
    if let cover, room.total > 0, cover.bytes > room.free { throw VaultError.noSpace }
  }
}

extension KeyDerivationCost: ExpressibleByArgument {}

extension CipherSuite: ExpressibleByArgument {
  /// Parses a suite's name, such as `aes-256-gcm`.
  package init?(argument: String) { self.init(name: argument) }

  /// The names, for help and completion.
  package static var allValueStrings: [String] { allCases.map(\.name) }

  /// The description of each suite in the help.
  package static var allValueDescriptions: [String: String] {
    [
      Self.aes256gcm.name: "OpenSSL; fast where the processor has AES",
      Self.xchacha20poly1305.name: "libsodium; fast everywhere",
    ]
  }

  /// The name, for help.
  package var defaultValueDescription: String { name }
}
