internal import ArgumentParser
internal import Mount
internal import Storage
internal import System
internal import SystemPackage
internal import Vault

/// `agonyfs run VAULT [--] PROGRAM [ARGUMENT...]`: runs a program in a private session.
struct RunCommand: VaultCommand {
  static let name = "run"
  static let configuration = CommandConfiguration(
    commandName: name, abstract: "Run a program that leaves nothing on this machine.",
    usage: "agonyfs run [options] <vault> [--] [<program> [<argument> ...]]", discussion: HelpText.run)

  @Argument(help: "The vault.", completion: .directory)
  var vault: FilePath

  @Option(
    help: ArgumentHelp(
      "Keep what is saved in this directory. Give it several times for more directories.",
      valueName: "directory"), completion: .directory)
  var keep: [FilePath] = []

  @Option(
    help: ArgumentHelp("Where the program sees the space. (default: ~/Albums)", valueName: "path"),
    completion: .directory)
  var at: FilePath?

  @Flag(help: "Fail if a private session is not possible.")
  var requirePrivate = false

  @Flag(help: "Mount the space read-only, as -o ro.")
  var readOnly = false

  @OptionGroup
  var mounting: MountingOptions

  func run() throws {
    var request = try request()
    // Opened early, so that its errors come before the password; the serving process opens it again.
    _ = try Vault.open(at: path)
    let host = SessionHost()
    let places = try host.places(album: at, kept: kept(request), needed: needed(request))
    if let conflict = places.conflict { throw CommandFailure(.usage, conflict) }
    if at != nil { try confirmHiding(places) }
    let plan = SessionPlan(places)
    let (namespaces, obstacle) = try self.namespaces(request, plan, places)
    if let obstacle, requirePrivate {
      throw CommandFailure(.failure, "A private session is not possible here, because \(obstacle).")
    }
    let secret = try mounting.opening.password.source(otherFile: request.options.passwordFile).password(
      for: .opening, prompt: "Password for \(path)")
    Output.note(Self.notice(places, obstacle: obstacle, isReadOnly: request.options.isReadOnly))
    let ending: ProgramEnding
    if let namespaces {
      request.mountPoint = places.source
      request.session = .private
      let session = PrivateSession(
        request: request, namespaces: namespaces, plan: plan, album: places.album, runtime: host.runtime)
      ending = try session.run(secret)
    } else {
      request.mountPoint = at.map(AbsolutePath.of) ?? ""
      ending = try RedirectedSession(request: request, runtime: host.runtime).run(secret)
    }
    throw ending
  }

  /// Makes the namespaces of a private session; on failure, says why. This happens before any secret is read.
  private func namespaces(
    _ request: MountRequest, _ plan: SessionPlan, _ places: SessionPlaces
  ) throws -> (namespaces: SessionNamespaces?, obstacle: String?) {
    var request = request
    request.mountPoint = places.source
    let namespaces: SessionNamespaces
    do {
      namespaces = try SessionNamespaces(request)
    } catch let failure as CommandFailure {
      return (nil, failure.message)
    }
    let obstacle = try SessionProbe.obstacle(to: plan, in: namespaces, mountedAt: places.source)
    return (obstacle == nil ? namespaces : nil, obstacle)
  }

  /// Asks whether the space may hide a file that the program needs.
  ///
  /// - Throws: if the user refuses or cannot be asked.
  private func confirmHiding(_ places: SessionPlaces) throws {
    guard let hidden = places.hidden(of: SessionProgram.needed(by: SessionProgram.ofCommandLine())) else { return }
    let consequence = "At \(places.album) the space would hide \(hidden), which the program needs"
    guard EnrolledKey.canAsk, let terminal = Terminal() else {
      throw CommandFailure(.usage, "\(consequence); choose another place with --at.")
    }
    guard terminal.confirm("\(consequence). Go on?") else { throw CommandFailure(.failure, "Nothing was started.") }
  }

  /// The note when the program starts. `obstacle` is why the session is not private.
  private static func notice(_ places: SessionPlaces, obstacle: String?, isReadOnly: Bool) -> String {
    guard let obstacle else {
      let kept = "Files saved outside \(places.album) and the directories of --keep vanish when this session ends."
      let swap = "Until then they are in memory, which may be swapped."
      return "\(kept) \(swap) Your other processes can look into the session through /proc while it runs."
    }
    let place = isReadOnly ? "in memory" : "in the space, in the folder \(RedirectedSession.folder)"
    return """
      This session is not private, because \(obstacle). Programs are asked to keep their files \(place). Those that \
      ignore this leave files on this machine, such as .viminfo, .bash_history, and files in ~/Pictures and in /tmp. \
      Your other programs can see the mount. To fail instead, give --require-private.
      """
  }

  /// The mount request; the mount point is set later.
  private func request() throws -> MountRequest {
    let lists = mounting.lists(flags: [("ro", readOnly)])
    let parsed = try mounting.parsed(lists, for: path)
    guard parsed.idle == nil else {
      throw CommandFailure(.usage, "A session ends with its program; leave out idle.")
    }
    return MountRequest(
      vault: path, mountPoint: "", optionLists: lists, options: parsed, acceptsOlder: mounting.acceptOlder,
      weakDerivations: mounting.opening.derivations.weakDerivations,
      copyWindow: try mounting.copyWindow.map(MountOptions.duration))
  }

  /// The directories that stay the real ones: those of --keep, the vault, and the record of --remember. So other
  /// commands work on the vault inside the session as they do outside.
  private func kept(_ request: MountRequest) throws -> [FilePath] {
    var kept = try keep.map { given in
      guard let path = SessionHost.directory(AbsolutePath.of(given)) else {
        throw CommandFailure(
          .usage, "The directory \(given) of --keep does not exist; make it first, with: mkdir -p \(given)")
      }
      guard path != "/" else { throw CommandFailure(.usage, "--keep / would keep everything; name a directory.") }
      return path
    }
    if let vault = SessionHost.directory(path) { kept.append(vault) }
    if request.options.remembers, let state = StateFolder.ofUser() {
      // The folder may not exist before the first state is recorded.
      kept.append(FilePath(state.path).resolved ?? FilePath(state.path))
    }
    return kept
  }

  /// Other paths that the serving process reads.
  private func needed(_ request: MountRequest) -> [FilePath] {
    let places = request.options.placesFile.map { FilePath(bytes: ByteText.bytes(of: $0)) }
    let named = [FilePath(DecoderProgram.path), places].compactMap(\.self)
    return named + named.compactMap(\.resolved)
  }
}
