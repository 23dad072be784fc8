internal import ArgumentParser
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage

struct UnmountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmount", abstract: "Unmount spaces; return when everything is written.",
    discussion: HelpText.unmount, aliases: ["umount"])

  @Argument(help: "Where spaces are mounted.", completion: .directory)
  var mountPoints: [FilePath] = []

  @Flag(help: "Unmount all spaces that you mounted.")
  var all = false

  @Flag(help: "Detach mounts that are in use; files stay open.")
  var lazy = false

  @Flag(help: "Write everything, then cut off open files.")
  var force = false

  @Flag(help: "Free the room of deleted data that is kept for copies of the vault.")
  var giveBack = false

  func validate() throws {
    if lazy, force { throw ValidationError("Give --lazy or --force, not both.") }
    if giveBack, all { throw ValidationError("--give-back does not work with --all; name the mount points.") }
    if mountPoints.isEmpty != all { throw ValidationError("Name the mount points, or give --all.") }
  }

  func run() throws {
    let manner: Unmount.Manner = force ? .force : lazy ? .lazy : .whenUnused
    try Unmounting.report(
      all ? Unmount.unmountAll(manner).failures : Unmounting.unmount(mountPoints, manner, givesBack: giveBack))
    // The advice is the same for every space, so that it reveals nothing.
    if isatty(STDERR_FILENO) == 1 {
      Output.note(
        """
        To give the vault to another person, give a fresh copy and keep this disk: run agonyfs refresh VAULT, copy \
        the vault with rsync -a to an empty directory on another disk, and refresh that copy.
        """)
    }
  }
}

struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Unmount all your spaces at once, also those in use.", discussion: HelpText.lock)

  func run() throws {
    let isNothing = !Unmount.mayHaveMounts
    let sessions = RunningSessions.askToEnd()
    if isNothing, sessions.count == 0 { Output.note("You have not mounted anything, so nothing was locked.") }
    let (unmounted, failures) = Unmount.unmountAll(.force)
    sessions.wait()
    // A journal must not tell how many spaces were open.
    if isatty(STDERR_FILENO) == 1 { tell(unmounted + sessions.count) }
    try Unmounting.report(failures)
  }

  /// Says how many spaces were locked, and that a server may open them again.
  private func tell(_ count: Int) {
    if count > 0 { Output.note("\(count.counted("space was", "spaces were")) locked.") }
    let servers = RunningServers.ofVaults.map { "\($0)" }
    guard !servers.isEmpty else { return }
    Output.note(
      "agonyfs serve still runs, and a password that its page gets mounts a space again; end it with Ctrl-C at its "
        + "terminal, or with: kill \(servers.joined(separator: " "))")
  }
}

/// Unmounts several spaces; a failure does not stop the others.
private enum Unmounting {
  /// Returns the failures.
  static func unmount(_ mountPoints: [FilePath], _ manner: Unmount.Manner, givesBack: Bool) -> [MountError] {
    mountPoints.compactMap { point in
      let path = AbsolutePath.of(point)
      var isAsked = false
      do throws(MountError) {
        if givesBack {
          isAsked = try Unmount.giveBack(path)
          if !isAsked {
            Output.note(
              "The space at \(path) owns a fixed number of files and keeps them; it uses their free room again.")
          }
        }
        try Unmount.unmount(path, manner)
        return nil
      } catch {
        // The request was for this unmount only, not for a later one.
        if isAsked { Unmount.keepDeleted(path) }
        return error
      }
    }
  }

  /// Prints each failure; the first one decides the exit status.
  static func report(_ failures: [MountError]) throws {
    let failures = failures.compactMap { CommandFailure(any: $0, vault: "") }
    for failure in failures { Output.note(failure.message) }
    if let first = failures.first { throw ExitCode(first.status.rawValue) }
  }
}
