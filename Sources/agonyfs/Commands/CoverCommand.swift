internal import ArgumentParser
internal import SystemPackage
internal import Vault

struct CoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cover", abstract: "Add random files that belong to no space.", subcommands: [Add.self])

  struct Add: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add random files that belong to no space.", discussion: HelpText.coverAdd)

    @Argument(help: "How much cover to add, such as 20G, as for space add --cover.")
    var size: ByteSize

    @Argument(help: "The vault.", completion: .directory)
    var vault: FilePath

    func run() throws {
      let opened = try openVault()
      Output.note("\(size) of cover cannot be distinguished from a space, so it can never be removed.")
      try LongOperation.run("writing cover") { control in try opened.addCover(for: size.bytes, control) }
    }
  }
}
