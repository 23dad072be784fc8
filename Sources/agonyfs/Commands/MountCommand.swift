internal import ArgumentParser
internal import CPlatform
internal import Crypto
internal import Glibc
internal import Mount
internal import Storage
internal import System
internal import SystemPackage
internal import Vault

/// `agonyfs mount VAULT MOUNTPOINT`; mount(8) calls it as well.
struct MountCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "mount", abstract: "Mount the space that a password opens.", discussion: HelpText.mount)

  @Argument(help: "The vault.", completion: .directory)
  var vault: FilePath

  @Argument(help: "An empty directory.", completion: .directory)
  var mountPoint: FilePath

  @Option(help: ArgumentHelp("Unmount after this time without use: 90s, 15m, 2h.", valueName: "time"))
  var idle: String?

  @Flag(help: "When the mount ends, run agonyfs doctor --yes on it.")
  var tidy = false

  @Flag(name: .shortAndLong, help: "Stay in the foreground and log to standard error.")
  var foreground = false

  @Flag(help: "Create the vault if it does not exist, without asking.")
  var create = false

  @OptionGroup
  var mounting: MountingOptions

  @Flag(
    help: "Use a key that password add enrolled, also without a terminal; fail if it does not work.")
  var enrolled = false

  @Flag(help: "Ask for the password even if a key is enrolled.")
  var ask = false

  @Flag(name: .customLong("as-daemon"), help: .private)
  var isDaemon = false

  @Option(help: .private)
  var session: SessionKind?

  /// Set by `agonyfs open`, which made the mount point.
  @Flag(help: .private)
  var removeMountPoint = false

  /// Set by agonyfs-web, which then opens the mount at the printed place, and needs the serving process to check that
  /// it is still the same mount.
  @Flag(help: .private)
  var tellServer = false

  func validate() throws {
    if ask, enrolled { throw ValidationError("Give --ask or --enrolled, not both.") }
  }

  func run() throws {
    var request = try request()
    if isDaemon, let session { return try SessionServer.serve(request, session) }
    if isDaemon { return try BackgroundMount.serve(request) }
    let isNew = try isNewVault()
    // The files in the mount point are listed last, when everything else is right.
    var options = request.options
    options.allowsNonEmpty = true
    let point: MountPoint
    do { point = try MountPoint.check(mountPoint, options: options, vault: path) } catch { throw occupied(error) }
    (request.mountPoint, request.directory) = (point.path, point.directory)
    if isNew, !create { try NewVault.confirm(at: path) }
    let files = try UnencryptedFiles.found(in: point, request.options)
    if let files {
      try files.confirmImport(isPossible: !foreground && !request.options.isReadOnly)
      request.optionLists.append("nonempty")
      request.options.allowsNonEmpty = true
    }
    if request.options.allowsOthers {
      Output.note(
        "With allow_other, indexers such as updatedb see the files, too; add fuse.\(request.options.subtype) to "
          + "PRUNEFS in /etc/updatedb.conf.")
    }
    let source = mounting.opening.password.source(otherFile: request.options.passwordFile)
    if !isNew, case .unspecified = source, !ask, try mountEnrolled(request) {
      try files?.moveIntoSpace()
      return
    }
    let secret = try source.password(
      for: isNew ? .setting : .opening, prompt: "\(isNew ? "New password" : "Password") for \(path)")
    if isNew { try NewVault.create(at: path, password: secret) }
    try serve(request, secret)
    try files?.moveIntoSpace()
  }

  /// Why the mount point cannot be used: a space of this vault is mounted there already, or the same error.
  private func occupied(_ error: any Error) -> any Error {
    let place = AbsolutePath.of(mountPoint)
    guard case MountError.mountedAlready(let name) = error,
      SpacePlace.places(ofVault: path).contains(place.resolved ?? place)
    else { return error }
    return CommandFailure(
      .mountPointUnusable,
      "A space of \(path) is mounted at \(name) already; unmount it to open another one there, or choose another directory."
    )
  }

  private func serve(_ request: MountRequest, _ secret: consuming Password) throws {
    if foreground {
      try MountServer(request: request).serveAndTidy(consume secret) { unsafe agonyfs_notify("READY=1") }
    } else {
      try BackgroundMount.start(request, password: secret)
    }
  }

  /// Mounts with a key that is enrolled on this machine. False if the password must be asked for.
  ///
  /// - Throws: why nothing is mounted; with `--enrolled`, also why no key could be fetched.
  private func mountEnrolled(_ request: MountRequest) throws -> Bool {
    let canAsk = EnrolledKey.canAsk && !enrolled
    guard enrolled || canAsk else { return false }
    let vault = try Vault.open(at: path).identifierText
    let found: [Enrolment]
    do {
      found = try Enrolments().list(vault: vault)
    } catch let error as Errno {
      let failure = CommandFailure(error, doing: "reading the keys that are enrolled on this machine")
      guard canAsk else { throw failure }
      Output.note(failure.message)
      return false
    }
    if found.isEmpty, enrolled {
      throw CommandFailure(
        .usage,
        "No key is enrolled on this machine for \(path); enrol one with: agonyfs password add --keyring \(path)")
    }
    for (place, enrolment) in found.enumerated() {
      do {
        let key = try EnrolledKey.get(enrolment)
        do { try serve(request, key) } catch { throw EnrolledKey.unopened(error, enrolment.method) }
        return true
      } catch let error as UnlockFailure {
        let failure = error.failure(of: enrolment.method)
        if !canAsk, place == found.count - 1 { throw failure }
        Output.note(failure.message)
      }
    }
    return false
  }

  private func request() throws -> MountRequest {
    let lists = mounting.lists([("idle", idle)], flags: [("tidy", tidy)])
    return MountRequest(
      vault: path, mountPoint: AbsolutePath.of(mountPoint), directory: nil, optionLists: lists,
      options: try mounting.parsed(lists, for: path), acceptsOlder: mounting.acceptOlder,
      weakDerivations: mounting.opening.derivations.weakDerivations,
      copyWindow: try mounting.copyWindow.map(MountOptions.duration), removesMountPoint: removeMountPoint,
      tellsServer: tellServer)
  }

  /// Whether a vault must be created first, if the user agrees.
  ///
  /// - Throws: why an existing vault cannot be opened; status 10 if there is none and no user can be asked.
  private func isNewVault() throws -> Bool {
    guard try DirectoryCreation.isPossible(at: path) else {
      // Opened early, so that its errors come before the password; the serving process opens it again.
      _ = try Vault.open(at: path)
      return false
    }
    guard create || isatty(STDIN_FILENO) == 1 else {
      throw CommandFailure(
        .noVault, "There is no vault at \(path); check the path, or give --create to create a vault there.")
    }
    return true
  }
}
