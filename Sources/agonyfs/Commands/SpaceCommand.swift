internal import Albums
internal import ArgumentParser
internal import Crypto
internal import Library
internal import System
internal import SystemPackage
internal import Vault

struct SpaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "space", abstract: "Add a space, change its size, or remove it.",
    subcommands: [Add.self, Grow.self, Shrink.self, Remove.self])

  /// The warning of commands that add files, given before the password is asked for.
  private static let whatShows = "A person who saw the vault before can see that files were added."

  /// The warning that a space loses room when it gives up cover, given before its password is asked for.
  private static func whatGoes(_ size: ByteSize, from space: String) -> String {
    "\(space) can store less afterwards: by \(size), a quarter of that, and about 200 MiB."
  }

  struct Add: VaultCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add an empty space with its own password.",
      usage: "agonyfs space add [<options>] <vault>", discussion: HelpText.spaceAdd)

    @Argument(help: "The vault.", completion: .directory)
    var vault: FilePath

    @Option(help: "Cipher of the space. (default: the faster one here)")
    var cipher: CipherSuite?

    @Option(
      help: ArgumentHelp(
        "How much it can store, such as 20G. With 0 it owns no cover, and takes room as it grows.",
        valueName: "size"))
    var cover: ByteSize?

    @Flag(
      help: """
        For scripts: take the cover from another space, which can store less afterwards. The terminal asks for that \
        space's password anyway.
        """)
    var within = false

    @OptionGroup
    var derivations: DerivationOptions

    @OptionGroup(title: "Password of the new space")
    var password: PasswordOptions<CurrentPassword>

    @OptionGroup(title: "Password of the space that hands over cover")
    var ownerPassword: PasswordOptions<OwnerPassword>

    private var takesFromOwner: Bool { within || ownerPassword.isGiven }

    func validate() throws {
      if takesFromOwner, cover?.bytes == 0 {
        throw ValidationError("A space within another one needs cover; give --cover a size above 0.")
      }
    }

    func run() throws {
      let opened = try openVault(derivations)
      let cover = try size()
      if takesFromOwner { return try handOver(in: opened, cover) }
      let source = password.source()
      if source.isTerminal, cover.bytes > 0 { return try ask(opened, cover) }
      Output.note(SpaceCommand.whatShows)
      try add(to: opened, cover, try source.password(for: .setting, prompt: "New password for \(path)"))
    }

    /// Asks at the terminal for everything that could reveal the owner, so that neither the shell's history nor the
    /// screen shows whether the added or replaced files belong to a space or are cover.
    private func ask(_ opened: Vault, _ cover: ByteSize) throws {
      Output.note(
        "Unless another space hands over cover, a person who saw the vault before can see that files were added.")
      Output.note(SpaceCommand.whatGoes(cover, from: "A space that hands over cover"))
      Output.note(PasswordAdvice.general)
      let owner = try PasswordSource.askedForAnyway(
        for: .opening, prompt: "Password of another space that hands over cover")
      let new = try PasswordSource.askedForAnyway(for: .setting, prompt: "New password for \(path)")
      if let owner, let new { return try add(to: opened, within: owner, cover, new) }
      if let new { return try add(to: opened, cover, new) }
      if let owner {
        return try LongOperation.run("replacing cover") { control in
          try SpaceManager.shrinkSpace(
            in: opened, password: owner, by: cover.bytes, changeSink: Library.idle, control)
        }
      }
      try LongOperation.run("writing cover") { control in try opened.addCover(for: cover.bytes, control) }
    }

    private func add(to opened: Vault, _ cover: ByteSize, _ new: Password) throws {
      try LongOperation.run("writing cover") { control in
        try SpaceManager.addSpace(
          to: opened, password: new, cipher: cipher ?? .fastest(), cover: cover.bytes, control)
      }
    }

    private func handOver(in opened: Vault, _ cover: ByteSize) throws {
      if cover.bytes == 0 { throw CommandFailure(.usage, "A space within another one needs cover; nothing was done.") }
      Output.note(SpaceCommand.whatGoes(cover, from: "The space that hands over cover"))
      let owner = try ownerPassword.source().password(
        for: .opening, prompt: "Password of the space that hands over cover")
      try add(
        to: opened, within: owner, cover,
        try password.source().password(for: .setting, prompt: "New password for \(path)"))
    }

    private func add(to opened: Vault, within owner: Password, _ cover: ByteSize, _ new: Password) throws {
      if owner.normalized.bytes.equals(new.normalized.bytes) {
        throw CommandFailure(.usage, "The two spaces need different passwords; nothing was done.")
      }
      try LongOperation.run("replacing cover") { control in
        try SpaceManager.addSpace(
          to: opened, within: owner, password: new, cipher: cipher ?? .fastest(), cover: cover.bytes,
          changeSink: Library.idle, control)
      }
    }

    private func size() throws -> ByteSize {
      if let cover { return cover }
      let answer = Terminal()?.ask("How much should the space store, such as 20G (0: it owns no cover)?")
      guard let answer else {
        throw CommandFailure(
          .usage, "Give --cover SIZE, the size that the space should store; with --cover 0 it owns no cover.")
      }
      guard let size = ByteSize(argument: answer) else {
        throw CommandFailure(.usage, "\"\(answer)\" is not a size; nothing was done. Try a size such as 20G.")
      }
      return size
    }
  }

  struct Grow: OneSpaceCommand {
    static let configuration = CommandConfiguration(
      commandName: "grow", abstract: "Let a space that owns cover store more.", discussion: HelpText.spaceGrow)

    @Argument(help: "How much more it should store, such as 20G.")
    var size: ByteSize

    @OptionGroup
    var space: SpaceArguments

    func run() throws {
      let (opened, password) = try openVault(
        space.opening, asking: "Password of the space", warning: SpaceCommand.whatShows)
      try LongOperation.run("writing cover") { control in
        try SpaceManager.growSpace(in: opened, password: password, by: size.bytes, control)
      }
    }
  }

  struct Shrink: OneSpaceCommand {
    static let configuration = CommandConfiguration(
      commandName: "shrink", abstract: "Let a space that owns cover store less.", discussion: HelpText.spaceShrink)

    @Argument(help: "How much less it should store, such as 20G.")
    var size: ByteSize

    @OptionGroup
    var space: SpaceArguments

    func run() throws {
      // Size 0 completes an interrupted command.
      let warning = size.bytes > 0 ? SpaceCommand.whatGoes(size, from: "The space") : nil
      let (opened, password) = try openVault(space.opening, asking: "Password of the space", warning: warning)
      try LongOperation.run("replacing cover") { control in
        try SpaceManager.shrinkSpace(
          in: opened, password: password, by: size.bytes, changeSink: Library.idle, control)
      }
    }
  }

  struct Remove: OneSpaceCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a space with everything in it.", discussion: HelpText.spaceRemove)

    @OptionGroup
    var space: SpaceArguments

    @Flag(help: "Overwrite all files of the space, not only those with keys and lists.")
    var wipe = false

    @Flag(help: "Remove the space without asking.")
    var yes = false

    func run() throws {
      let (opened, password) = try openVault(space.opening, asking: "Password of the space to remove")
      if yes { return try SpaceManager.removeSpace(from: opened, password: password, wipingAll: wipe) }
      var refusal: CommandFailure?
      try SpaceManager.removeSpace(from: opened, password: password, wipingAll: wipe) { space in
        do throws(CommandFailure) { try confirm(space) } catch { refusal = error }
        return refusal == nil
      }
      if let refusal { throw refusal }
    }

    /// Asks whether the space's files may be deleted, if it has any; nil is a space that cannot be read.
    private func confirm(_ space: SpaceInformation?) throws(CommandFailure) {
      guard let space else {
        return try Terminal.confirm("The content of the space cannot be read, and all of it will be deleted for good.")
      }
      // The root directory counts as a file.
      let entries = space.files - 1
      let others = space.passwords - 1
      if entries <= 0, others <= 0 { return }
      var text =
        "The space has \(entries.counted("entry", "entries")), \(ByteSize(bytes: space.dataBytes)) of"
      text += " data, and all of that will be deleted for good."
      if others > 0 {
        text += " \(others.counted("other password or key opens", "other passwords or keys open")) it as well."
      }
      try Terminal.confirm(text)
    }
  }
}

/// The arguments of a command for one space.
struct SpaceArguments: ParsableArguments {
  @Argument(help: "The vault.", completion: .directory)
  var vault: FilePath

  @OptionGroup
  var opening: OpeningOptions
}

protocol OneSpaceCommand: VaultCommand {
  var space: SpaceArguments { get }
}

extension OneSpaceCommand {
  var vault: FilePath { space.vault }
}
