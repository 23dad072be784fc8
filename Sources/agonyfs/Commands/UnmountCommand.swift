internal import ArgumentParser
internal import Mount

/// `agonyfs unmount MOUNTPOINT`.
struct UnmountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmount", abstract: "Unmount a space; return when everything is written.",
    discussion: HelpText.unmount, aliases: ["umount"])

  @Argument(help: "Where a space is mounted.", completion: .directory)
  var mountPoint: String

  func run() throws {
    try Unmount.unmount(AbsolutePath.of(mountPoint))
  }
}
