internal import ArgumentParser
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage
internal import Traces
internal import Vault

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Find and remove traces of a space outside the vault.",
    discussion: HelpText.doctor)

  @Argument(
    help: ArgumentHelp(
      "Where a space is or was mounted. (default: all spaces that you have mounted now)", valueName: "mount-point"),
    completion: .directory)
  var places: [FilePath] = []

  @Flag(help: "Remove thumbnails and recent files without asking.")
  var yes = false

  @Flag(help: "Also delete files of the space in the trash of your home, which may be the only copies.")
  var trash = false

  @Flag(help: "Only show what it would remove.")
  var dryRun = false

  @Flag(help: "Print a line of JSON for each finding.")
  var json = false

  @Flag(help: "Look only for removable traces, and print only failures and traces that stay.")
  var quiet = false

  @Option(help: .private)
  var homeOf: UInt32?

  func validate() throws {
    if dryRun, yes { throw ValidationError("Give --dry-run or --yes, not both.") }
    if quiet, json { throw ValidationError("Give --quiet or --json, not both.") }
    if quiet, !yes, !dryRun { throw ValidationError("--quiet does not ask; it needs --yes or --dry-run.") }
  }

  func run() throws {
    if let homeOf { try DoctorHome.become(homeOf) }
    let home = try DoctorHome.own(ignoresEnvironment: homeOf != nil)
    // After a mount's end its files cannot be read, and the user's other file systems may hang.
    let mounted = quiet && !places.isEmpty ? [] : MountedSpace.all()
    let named = try places.map { try DoctorHome.place($0, home: home) }.joined()
    let searched = SearchedPlaces(places.isEmpty ? mounted.map(\.path) : Array(named))
    // Files are looked up only in this user's own mounts: a mount of another user, or one that hangs, is left alone.
    let spaces = SearchedPlaces(mounted.map(\.path))
    let known = SearchedPlaces(
      searched.paths.filter { spaces.contains($0) } + spaces.paths.filter { searched.contains($0) })
    let vaults = mountedVaults(searched, mounted)
    var search = TraceSearch(home, for: searched, known: KnownFiles(in: known), vaults: vaults)
    if !searched.paths.isEmpty { search.run(onlyRemovable: quiet) }
    if !quiet {
      let possible = places.isEmpty ? MountPlace.known + mounted.map(\.path) : Array(named)
      search.look(inBare: barePlaces(possible))
      search.look(
        beside: SearchedPlaces(possible.compactMap { FilePath(bytes: $0).resolved?.bytes }).paths,
        suffix: UnencryptedFiles.suffix
      ) { left, place in
        "An import left this; to continue while the space is mounted: \(UnencryptedFiles.importing(left, into: place))"
      }
    }
    let notes = quiet ? [] : systemNotes(home, searched, mounted, vaults)
    var dialogue = DoctorDialogue(command: self, search: search)
    try dialogue.run(notes)
    guard !searched.paths.isEmpty || !search.findings.isEmpty else {
      throw CommandFailure(
        .mountPointUnusable,
        "You have not mounted a space, so only the settings of the system were checked. To find traces, name the "
          + "directory where a space was mounted: agonyfs doctor MOUNTPOINT")
    }
    if dialogue.failures > 0 { throw ExitCode(CommandStatus.failure.rawValue) }
    if dialogue.left > 0 || !search.gaps.isEmpty { throw ExitCode(CommandStatus.tracesLeft.rawValue) }
  }

  /// The places at which nothing is mounted, without symbolic links. Vaults are skipped: they are not mount points.
  private func barePlaces(_ places: [[UInt8]]) -> [[UInt8]] {
    let bare = places.filter(MountedPlaces.isBare).compactMap { FilePath(bytes: $0).resolved?.bytes }
    return SearchedPlaces(bare.filter { MountedPlaces.isBare($0) && !isVault($0) }).paths
  }

  private func isVault(_ path: [UInt8]) -> Bool {
    let parameters = FilePath(bytes: path).appending(VaultParameters.fileName)
    return (try? unsafe parameters.call { unsafe access($0, F_OK) }) != nil
  }

  /// The vaults of the spaces that are mounted at the searched places.
  private func mountedVaults(_ searched: SearchedPlaces, _ mounted: [MountedSpace]) -> SearchedPlaces {
    let spaces = mounted.filter { space in
      let place = SearchedPlaces([space.path])
      return searched.contains(space.path) || searched.paths.contains { place.contains($0) }
    }
    return SearchedPlaces(
      spaces.compactMap(\.vault).flatMap { path in [path] + (FilePath(bytes: path).resolved.map { [$0.bytes] } ?? []) })
  }

  private func systemNotes(
    _ home: Home, _ searched: SearchedPlaces, _ mounted: [MountedSpace], _ vaults: SearchedPlaces
  ) -> [SystemNote] {
    let spaces = SearchedPlaces(mounted.map(\.path))
    // The user may also name vaults.
    let named = searched.paths.filter { !spaces.contains($0) && isVault($0) }
    return SystemChecks.notes(
      SystemView(),
      SystemSubject(
        home: home, places: searched, openPlaces: SearchedPlaces(mounted.filter(\.allowsOthers).map(\.path)),
        vaults: SearchedPlaces(vaults.paths + named), shell: getppid(), lockedMemory: LockedMemoryNote.sentence))
  }
}
