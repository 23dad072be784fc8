internal import Albums
internal import ArgumentParser
internal import Crypto

/// `agonyfs info VAULT`.
struct InfoCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show parameters and figures of a vault and a space.", discussion: HelpText.info)

  @Argument(help: "The vault.", completion: .directory)
  var vault: String

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup(title: "Password")
  var password: PasswordOptions<CurrentPassword>

  func run() throws {
    let vault = try openVault()
    let secret = try password.source().password(for: .opening, prompt: "Password for \(path)")
    let report = InfoReport(
      vault: try .init(vault, path: path), space: .init(try SpaceManager.information(in: vault, password: secret)))
    if json { try Output.json(report) } else { report.lines.forEach(Output.line) }
  }
}

/// What `info` shows. The names of its fields are those of `--json` and never change.
struct InfoReport: Encodable {
  /// Figures of the space.
  struct Space: Encodable {
    /// The cipher's name.
    var cipher: String
    /// Files, directories and everything else.
    var files: Int64
    /// Bytes of file data.
    var dataBytes: Int64
    /// Bytes of the space's own files in the vault.
    var storedBytes: Int64
    /// Bytes of its index.
    var indexBytes: Int64
    /// Photos and videos with thumbnails.
    var thumbnails: Int64
    /// Files still to be examined.
    var thumbnailsPending: Int64
    /// Photos and videos whose thumbnails failed.
    var thumbnailsFailed: Int64
    /// How many passwords open it.
    var passwords: Int

    init(_ information: SpaceInformation) {
      cipher = information.cipher
      files = information.inodes
      dataBytes = information.dataBytes
      storedBytes = information.storedBytes
      indexBytes = Int64(information.databasePages) * 4096
      thumbnails = information.thumbnails
      thumbnailsPending = information.thumbnailsPending
      thumbnailsFailed = information.thumbnailsFailed
      passwords = information.passwords
    }
  }

  var vault: VaultInformation
  var space: Space
  /// How the kernel of this machine confines the image decoder.
  var decoder = DecoderProgram.confinement

  /// The report for people.
  var lines: [String] {
    let derivations = vault.keyDerivations.map { derivation in
      "\(derivation.algorithm), \(derivation.operations) passes over \(ByteSize(bytes: Int64(derivation.memory)))"
    }
    return [
      "vault        \(vault.path)\(vault.isReadOnly ? " (read-only)" : "")",
      "format       \(vault.format)",
      "id           \(vault.identifier)",
      "passwords    \(derivations.joined(separator: "; "))",
      "files        \(vault.files) of \(ByteSize(bytes: Int64(vault.segmentSize))), all spaces and cover together",
      "",
      "this space",
      "cipher       \(space.cipher)",
      "entries      \(space.files)",
      "data         \(ByteSize(bytes: space.dataBytes))",
      "thumbnails   \(space.thumbnails), \(space.thumbnailsPending) to go, \(space.thumbnailsFailed) failed",
      "index        \(ByteSize(bytes: space.indexBytes))",
      "stored as    \(ByteSize(bytes: space.storedBytes))",
      "opened by    \(space.passwords) \(space.passwords == 1 ? "password" : "passwords")",
      "",
      "decoder      \(decoder)",
    ]
  }
}
