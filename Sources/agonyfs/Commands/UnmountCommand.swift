internal import ArgumentParser
internal import Glibc
internal import Mount

/// `agonyfs unmount MOUNTPOINT`.
struct UnmountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmount", abstract: "Unmount a space; return when everything is written.",
    discussion: HelpText.unmount, aliases: ["umount"])

  @Argument(help: "Where a space is mounted.", completion: .directory)
  var mountPoint: String

  @Flag(help: "Detach a mount that is in use at once, and let its open files end first.")
  var lazy = false

  @Flag(help: "Cut off open files, after writing what waits.")
  var force = false

  func validate() throws {
    if lazy, force { throw ValidationError("Say --lazy or --force, not both.") }
  }

  func run() throws {
    try Unmount.unmount(AbsolutePath.of(mountPoint), force ? .force : lazy ? .lazy : .whenUnused)
    // The same for every space.
    if isatty(STDERR_FILENO) == 1 {
      Output.note(
        """
        Before the disk or a backup leaves your hands: agonyfs refresh VAULT. A backup that was filled more than once \
        needs rsync -a --delete-after first.
        """)
    }
  }
}
