internal import ArgumentParser
internal import System
internal import SystemPackage
internal import Vault

struct AgonyfsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agonyfs",
    abstract: "Encrypted albums: many spaces in one vault, a password for each.",
    usage: """
      agonyfs <subcommand> [options]
      agonyfs <vault> <mount-point> [-o <options>]
      """,
    discussion: HelpText.root,
    version: "agonyfs 1.0.0, vault format \(VaultParameters.currentFormat)",
    groupedSubcommands: [
      CommandGroup(
        name: "Album",
        subcommands: [
          CreateCommand.self, MountCommand.self, OpenCommand.self, RunCommand.self, UnmountCommand.self,
          LockCommand.self, GuardCommand.self,
        ]),
      CommandGroup(
        name: "Password and space",
        subcommands: [PasswordCommand.self, SpaceCommand.self, CoverCommand.self, DerivationCommand.self]),
      CommandGroup(
        name: "Photo",
        subcommands: [
          ImportCommand.self, ExportCommand.self, ListCommand.self, ShowCommand.self, TagCommand.self,
          DuplicatesCommand.self, ChooseCommand.self, ZoneCommand.self, ThumbnailsCommand.self,
        ]),
      CommandGroup(name: "Phone", subcommands: [ServeCommand.self]),
      CommandGroup(
        name: "Upkeep",
        subcommands: [
          CheckCommand.self, CopyCommand.self, SyncCommand.self, RefreshCommand.self, DoctorCommand.self,
          InfoCommand.self, SpeedCommand.self,
        ]),
      // `--help` does not list these.
      CommandGroup(
        name: "Hidden",
        subcommands: [
          ProveCommand.self, HelpPages.Queries.self, HelpPages.Fields.self, HelpPages.MountOptions.self,
          HelpPages.Statuses.self, HelpPages.Limits.self,
        ]),
    ],
    // mount(8) calls `agonyfs VAULT MOUNTPOINT -o …` for `mount -t fuse.agonyfs` and for lines of /etc/fstab.
    defaultSubcommand: MountCommand.self
  )

  /// Parses the words after the program's name.
  ///
  /// - Throws: `CommandFailure` if the first word is neither a command nor a vault; the errors of the argument parser.
  static func parse(_ words: [String]) throws -> any ParsableCommand {
    guard let first = words.first else { return try parseAsRoot(["--help"]) }
    // mount(8) gives a vault as the first word, so every word that is not a command counts as one. A typing error must
    // not create a vault.
    let names = configuration.subcommands.flatMap { [$0._commandName] + $0.configuration.aliases } + ["help"]
    guard
      names.contains(first) || first.hasPrefix("-") || first.contains("/")
        || !Directory.isNothing(at: FilePath(bytes: ByteText.bytes(of: first)))
    else {
      throw CommandFailure(.usage, "\"\(first)\" is neither a command nor a vault; see agonyfs --help.")
    }
    if first == ListCommand._commandName { return try parseAsRoot([first] + QueryWords.arranged(words.dropFirst())) }
    if first == ExportCommand._commandName {
      return try parseAsRoot([first] + QueryWords.arranged(words.dropFirst(), QueryWords.exportOptionsWithValue))
    }
    if first == TagCommand._commandName, words.contains(where: { $0 == "--shift" || $0.hasPrefix("--shift=") }) {
      return try parseAsRoot([first] + QueryWords.arranged(words.dropFirst(), QueryWords.tagOptionsWithValue))
    }
    if first == ImportCommand._commandName {
      return try parseAsRoot([first] + ImportCommand.arranged(words.dropFirst()))
    }
    return try parseAsRoot(words)
  }
}
