internal import ArgumentParser
internal import SystemPackage
internal import Vault

struct CoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cover", abstract: "Add random files that belong to no space.", subcommands: [Add.self])

  struct Add: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add random files that belong to no space.", discussion: HelpText.coverAdd)

    @Argument(help: "As for space add --cover, such as 20G.")
    var size: ByteSize

    @Argument(help: "The vault.", completion: .directory)
    var vault: FilePath

    func run() throws {
      let opened = try openVault()
      Output.note("Nothing can tell \(size) of cover from a space, so nothing removes it again.")
      try LongOperation.run("writing cover") { control in try opened.addCover(for: size.bytes, control) }
    }
  }
}
