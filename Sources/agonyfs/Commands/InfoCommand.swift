internal import Albums
internal import ArgumentParser
internal import Catalog
internal import Client
internal import Crypto
internal import System
internal import SystemPackage

struct InfoCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show figures of a vault and of a space.", discussion: HelpText.info)

  @Argument(help: "The vault.", completion: .directory)
  var vault: FilePath

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup
  var opening: OpeningOptions

  func run() throws {
    let (opened, secret) = try openVault(opening, asking: "Password for \(path)")
    var mountPoint: FilePath?
    var space = try SpaceManager.information(in: opened, password: secret) { space in
      mountPoint = MountedElsewhere.writtenPlace(of: space, ofVault: path)
      return mountPoint != nil
    }
    // A damaged index may hold any text there.
    space.homeZone = space.homeZone.flatMap { ZoneName.isValid($0) ? $0 : nil }
    let report = InfoReport(
      vault: try .init(opened, path: path), host: HostReport(ofVaultAt: path), space: space,
      mountPoint: mountPoint?.string, mountPointBytes: mountPoint.flatMap(VaultInformation.bytes),
      shown: TerminalText.safe(path.bytes),
      heading: mountPoint.map { "this space, as of now; it is mounted \(MountedElsewhere.words($0))" }
        ?? "this space, as it was last written: a mount writes changes within seconds")
    if json { try Output.json(report) } else { report.lines.forEach(Output.line) }
  }
}

/// The output of `info`. The names of its fields are those of `--json` and never change.
struct InfoReport: Encodable {
  var vault: VaultInformation
  var host: HostReport
  var space: SpaceInformation
  /// The mount point of the space, if the mount has flushed its changes before the figures were read.
  var mountPoint: String?
  /// The mount point's bytes in hexadecimal, if they are not UTF-8.
  var mountPointBytes: String?
  /// The vault's path as users see it.
  var shown: String
  /// The heading of the space's figures.
  var heading: String
  /// How this machine's kernel confines the image decoder.
  var decoder = DecoderProgram.confinement

  private enum CodingKeys: CodingKey { case vault, host, space, mountPoint, mountPointBytes, decoder }

  /// The report for users.
  var lines: [String] {
    let derivations = vault.keyDerivations.map { derivation in
      "\(derivation.algorithm), \(derivation.operations.counted("pass", "passes")) over "
        + "\(ByteSize(bytes: Int64(derivation.memory)))"
    }
    var lines = [
      "vault        \(shown)\(vault.isReadOnly ? " (read-only)" : "")",
      "format       \(vault.format)",
      "id           \(vault.identifier)",
      "passwords    \(derivations.joined(separator: "; "))",
      "files        \(vault.files) of \(ByteSize(bytes: Int64(vault.segmentSize))), all spaces and cover together",
    ]
    if let host = host.paragraph { lines.append("host         \(host)") }
    lines += [
      "",
      heading,
      "cipher       \(space.cipher)",
      "entries      \(space.files)",
      "data         \(ByteSize(bytes: space.dataBytes))",
      "thumbnails   \(space.thumbnails), \(space.thumbnailsPending) to go, \(space.thumbnailsFailed) failed",
      "index        \(ByteSize(bytes: space.indexBytes))",
      "stored as    \(ByteSize(bytes: space.storedBytes))",
    ]
    if space.deletedBytes > 0 { lines.append(Self.deleted(space)) }
    lines += [
      "home zone    \(space.homeZone ?? "none yet; a writable mount sets the zone of its machine")",
      "opened by    \(space.passwords.counted("password"))",
      "",
      "decoder      \(decoder)",
    ]
    return lines
  }

  private static func deleted(_ space: SpaceInformation) -> String {
    // A mount that begins to write after that time frees it.
    let time = space.deletedUntil.map { "until \(LocalTime.words($0))" } ?? "for a day after the next use"
    return
      "deleted      \(ByteSize(bytes: space.deletedBytes)) of that, kept for copies of the vault \(time), or as long as"
      + " mount --copy-window says; agonyfs unmount --give-back frees it"
  }
}
