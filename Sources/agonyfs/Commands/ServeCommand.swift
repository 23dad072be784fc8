internal import ArgumentParser
internal import Client
internal import Glibc
internal import Mount
internal import Storage
internal import System
internal import SystemPackage
internal import Vault

/// `agonyfs serve VAULT`, or `MOUNT`: becomes agonyfs-web.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Show albums in browsers of phones and computers.",
    discussion: HelpText.serve)

  @Argument(help: "A vault, or a mounted space.", completion: .directory)
  var place: FilePath

  @Option(
    help: ArgumentHelp(
      "Address of this machine to listen at. (default: all; with --http 127.0.0.1)", valueName: "address"))
  var listen: String?

  @Option(help: "Port to listen at.")
  var port = 8443

  @Flag(help: "Open the page in the browser of this machine.")
  var open = false

  @Option(help: ArgumentHelp("Lock after this time without use: 90s, 10m.", valueName: "time"))
  var idle = "10m"

  @Flag(help: "Use no encryption, for this machine only.")
  var http = false

  @Option(
    help: ArgumentHelp(
      "Keep the certificate authority in this folder, so that phones install it once.", valueName: "folder"),
    completion: .directory)
  var certificateFolder: FilePath?

  @Option(
    name: [.customShort("o", allowingJoined: true)],
    help: ArgumentHelp("Mount options; see agonyfs help mount-options.", valueName: "options"))
  var options: [String] = []

  func run() throws {
    let seconds = try MountOptions.duration(idle).components.seconds
    guard (1...65535).contains(port) else { throw CommandFailure(.usage, "--port takes a number from 1 to 65535.") }
    guard seconds >= 1 else { throw CommandFailure(.usage, "--idle takes at least one second.") }
    guard try MountOptions(options).passwordFile == nil else {
      throw CommandFailure(.usage, "The page asks for the password; leave out passfile.")
    }
    let (vault, mount) = try source()
    var words = ["agonyfs-web", "--port", "\(port)", "--idle", "\(seconds)"]
    if let listen { words += ["--listen", listen] }
    if open { words.append("--open") }
    if http { words.append("--http") }
    for list in options { words += ["--mount-options", list] }
    var paths: [(option: String, path: FilePath)] = [("--vault", vault)]
    if let mount { paths.append(("--mount", mount)) }
    if let certificateFolder { paths.append(("--certificate-folder", AbsolutePath.of(certificateFolder))) }
    // The argument parser of agonyfs-web accepts only text.
    for (option, path) in paths { words += [option, ByteText.text(of: path.bytes)] }
    try Self.become(words)
  }

  /// The vault, and its mount point if that was given.
  private func source() throws -> (vault: FilePath, mount: FilePath?) {
    let path = AbsolutePath.of(place)
    guard !path.isEmpty else { throw CommandFailure.empty("The path") }
    if path.resolved != nil, let found = try PhotoLibrary.place(of: path.bytes) {
      guard found.path.isEmpty else {
        throw CommandFailure(
          .mountPointUnusable, "\(TerminalText.safe(path.bytes)) is inside a space; name the directory of its mount.")
      }
      guard options.isEmpty else {
        throw CommandFailure(.usage, "Mount options are for a vault; this space is mounted already.")
      }
      guard let vault = SpacePlace.vault(mountedAt: found.mountPoint) else {
        throw CommandFailure(
          .mountPointUnusable,
          "The table of mounts does not show the vault of \(TerminalText.safe(path.bytes)); name the vault instead.")
      }
      return (vault, FilePath(bytes: found.mountPoint))
    }
    try NewVault.offer(at: path)
    _ = try Vault.opened(at: path)
    return (path, nil)
  }

  /// Executes agonyfs-web, in this program's directory or where `AGONYFS_WEB` says.
  static func become(_ words: [String]) throws {
    let own = OwnFolder.path(of: "")
    let program = unsafe getenv("AGONYFS_WEB").map { unsafe String(cString: $0) } ?? own + "agonyfs-web"
    unsafe setenv("AGONYFS_PROGRAM", own + "agonyfs", 1)
    try OwnFolder.become(program, words, builtBy: "scripts/agonyfs serve")
  }
}
