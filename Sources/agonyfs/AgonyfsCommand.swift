internal import ArgumentParser

/// The root of the command.
struct AgonyfsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agonyfs",
    abstract: "Encrypted albums: many spaces in one vault, a password for each.",
    usage: """
      agonyfs <subcommand> [options]
      agonyfs <vault> <mount-point> [-o <options>]
      """,
    discussion: HelpText.root,
    version: "agonyfs 1.0.0, vault format 1",
    subcommands: [
      CreateCommand.self, MountCommand.self, UnmountCommand.self, SpaceCommand.self, PasswordCommand.self,
      InfoCommand.self, SpeedCommand.self,
    ],
    // mount(8) calls `agonyfs VAULT MOUNTPOINT -o …` for `mount -t fuse.agonyfs` and for lines of /etc/fstab.
    defaultSubcommand: MountCommand.self
  )
}
