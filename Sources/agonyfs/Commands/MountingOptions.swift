internal import ArgumentParser
internal import Mount
internal import System
internal import SystemPackage

/// The options of commands that mount a space.
struct MountingOptions: ParsableArguments {
  @Option(
    name: [.customShort("o", allowingJoined: true)],
    help: ArgumentHelp("Mount options; see agonyfs help mount-options.", valueName: "options"))
  var options: [Word] = []

  @Option(
    help: ArgumentHelp("Thumbnails: eager (default), lazy or none.", valueName: "mode"))
  var thumbnails: String?

  @Option(
    help: ArgumentHelp("Confine the decoder: required (default), preferred.", valueName: "when"))
  var decoderSandbox: String?

  @Option(
    help: ArgumentHelp("Decode 1 to 256 photos at once. (default: processors and one more)", valueName: "number"))
  var decoders: String?

  @Option(
    help: ArgumentHelp(
      "Table of towns in GeoNames' format, to name places. (default: that of Debian's libtimezonemap-data)",
      valueName: "file"),
    completion: .file())
  var places: FileArgument?

  @Flag(help: "Record the newest state here, and detect older ones.")
  var remember = false

  @Flag(help: "Continue from an older state: in an incomplete copy, or when --remember reports one.")
  var acceptOlder = false

  @Option(
    help: ArgumentHelp("How long a copy of the mounted vault may take. (default: 24h)", valueName: "time"))
  var copyWindow: String?

  @OptionGroup
  var opening: OpeningOptions

  /// The lists of mount options, with further options and flags of the command.
  func lists(_ more: [(String, String?)] = [], flags: [(String, Bool)] = []) -> [String] {
    var named = more
    named += [("thumbnails", thumbnails), ("decoder-sandbox", decoderSandbox), ("decoders", decoders)]
    named.append(("places", places.map { ByteText.text(of: AbsolutePath.of($0.path).bytes) }))
    var lists = options.map(\.coded)
    lists += named.compactMap { name, value in value.map { "\(name)=\(MountOptions.escaped($0))" } }
    if remember { lists.append("remember") }
    for (name, isSet) in flags where isSet { lists.append(name) }
    return lists
  }

  /// Parses lists of mount options for a vault.
  func parsed(_ lists: [String], for vault: FilePath) throws -> MountOptions {
    var parsed = try MountOptions(lists)
    // mount(8) compares this name to recognise that a line of /etc/fstab is already mounted.
    if parsed.sourceName == MountOptions().sourceName { parsed.sourceName = ByteText.text(of: vault.bytes) }
    return parsed
  }
}
