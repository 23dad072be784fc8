internal import Albums
internal import ArgumentParser
internal import Crypto

/// `agonyfs space add | remove VAULT`.
struct SpaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "space", abstract: "Add an empty space, give one more room, or remove one with everything in it.",
    subcommands: [Add.self, Grow.self, Remove.self])

  /// `agonyfs space add VAULT`.
  struct Add: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add an empty space that a new password opens.", discussion: HelpText.spaceAdd)

    @Argument(help: "The vault.", completion: .directory)
    var vault: String

    @Option(help: "Cipher of the space. (default: the faster one on this machine)")
    var cipher: CipherSuite?

    @Option(
      help: ArgumentHelp(
        "How much it can store, such as 20G: it owns cover for that. With 0 it owns none, and takes room as it grows.",
        valueName: "size"))
    var cover: ByteSize?

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Password")
    var password: PasswordOptions<CurrentPassword>

    func run() throws {
      let opened = try openVault(derivations)
      let cover = try size()
      let new = try password.source().password(for: .setting, prompt: "New password for \(path)")
      try LongOperation.run("writing cover") { control in
        try SpaceManager.addSpace(
          to: opened, password: new, cipher: cipher ?? .fastest(), cover: cover.bytes, control)
      }
    }

    private func size() throws -> ByteSize {
      if let cover { return cover }
      let answer = Terminal()?.ask("How much is the space to store, such as 20G (0: no cover of its own)?")
      guard let answer else {
        throw CommandFailure(
          .usage, "Say how much the space is to store: --cover SIZE; --cover 0 is a space without cover of its own.")
      }
      guard let size = ByteSize(argument: answer) else {
        throw CommandFailure(.usage, "\"\(answer)\" is no size; nothing was done. Try a size such as 20G.")
      }
      return size
    }
  }

  /// `agonyfs space grow SIZE VAULT`.
  struct Grow: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "grow", abstract: "Let a space store more.", discussion: HelpText.spaceGrow)

    @Argument(help: "How much more, such as 20G.")
    var size: ByteSize

    @Argument(help: "The vault.", completion: .directory)
    var vault: String

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Password")
    var password: PasswordOptions<CurrentPassword>

    func run() throws {
      let opened = try openVault(derivations)
      let current = try password.source().password(for: .opening, prompt: "Password of the space")
      try LongOperation.run("writing cover") { control in
        try SpaceManager.growSpace(in: opened, password: current, by: size.bytes, control)
      }
    }
  }

  /// `agonyfs space remove VAULT`.
  struct Remove: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove the space that a password opens.", discussion: HelpText.spaceRemove)

    @Argument(help: "The vault.", completion: .directory)
    var vault: String

    @Flag(help: "Overwrite all files of the space, not only those that keys and lists are in.")
    var wipe = false

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Password")
    var password: PasswordOptions<CurrentPassword>

    func run() throws {
      let opened = try openVault(derivations)
      let current = try password.source().password(for: .opening, prompt: "Password of the space to remove")
      try SpaceManager.removeSpace(from: opened, password: current, wipingAll: wipe)
    }
  }
}
