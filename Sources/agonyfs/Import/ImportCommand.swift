internal import ArgumentParser
internal import Client
internal import Import
internal import SystemPackage

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Copy photos into a space, and verify each.",
    usage: "agonyfs import [<options>] <source> ... <mount>[/<album>]", discussion: HelpText.importing)

  @Argument(help: "Files and folders, then a mounted space or an album in it.", completion: .file())
  var places: [Word]

  @Option(help: ArgumentHelp("Put everything into this album, which is made if needed.", valueName: "album"))
  var into: Word?

  @Option(
    help: ArgumentHelp(
      "Sort into albums by the day of each photo. (default without a pattern: \(DatePattern.standard))",
      valueName: "pattern"))
  var byDate: String?

  @Flag(
    inversion: .prefixedNo,
    help: "With --by-date: keep live videos, RAW files and sidecars with their photo.")
  var moveCompanions = true

  @Flag(inversion: .prefixedNo, help: "Store no content twice: add a name to the file that the space has.")
  var skipDuplicates = true

  @Flag(inversion: .prefixedNo, help: "Read everything back from vault and source, and compare.")
  var verify = true

  @Flag(
    inversion: .prefixedNo,
    help: "Treat the sources as parts of a Google Takeout, or do not. (default: detect)")
  var takeout: Bool?

  @Flag(help: "Also import the trash of a Takeout.")
  var takeoutTrash = false

  @Flag(help: "Also import system files, such as .DS_Store, Thumbs.db and __MACOSX.")
  var allFiles = false

  @Flag(help: "Delete verified originals, after asking once.")
  var deleteOriginals = false

  @Flag(help: "With --delete-originals: do not ask.")
  var yes = false

  @Flag(help: "Import new files of the folders until interrupted.")
  var watch = false

  @Flag(help: "Only show what it would do.")
  var dryRun = false

  @OptionGroup
  var decoder: DecoderOptions

  @Option(help: ArgumentHelp("Write a line of JSON for each source file.", valueName: "file"), completion: .file())
  var report: FileArgument?

  func validate() throws {
    if places.count < 2 { throw ValidationError("Name the files to import first, and the mounted space last.") }
    if deleteOriginals, !verify { throw ValidationError("Only verified originals are deleted; leave out --no-verify.") }
    if deleteOriginals, dryRun { throw ValidationError("--dry-run deletes nothing; leave out --delete-originals.") }
    if watch, dryRun { throw ValidationError("--watch does not work with --dry-run; leave one of them out.") }
    if watch, deleteOriginals, !yes { throw ValidationError("--watch asks nothing; add --yes to --delete-originals.") }
    if takeoutTrash, takeout == false {
      throw ValidationError("--takeout-trash needs a Takeout; leave out --no-takeout.")
    }
    if watch, takeout == true { throw ValidationError("A Takeout is imported as a whole; leave out --watch.") }
    if yes, !deleteOriginals { throw ValidationError("--yes needs --delete-originals.") }
  }

  /// The words with a pattern after `--by-date` joined to it, or the standard pattern if there is none: a word without
  /// `%` is a source.
  static func arranged(_ words: some Sequence<String>) -> [String] {
    var arranged: [String] = []
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" {
        arranged += ["--"] + rest
        break
      }
      guard word == "--by-date" else {
        arranged.append(word)
        continue
      }
      if let next = rest.first, next.contains("%") {
        arranged.append("--by-date=" + next)
        rest.removeFirst()
      } else {
        arranged.append("--by-date=" + DatePattern.standard)
      }
    }
    return arranged
  }

  func run() throws {
    var pattern: DatePattern?
    if let byDate {
      do throws(DatePattern.Invalid) {
        pattern = try DatePattern(byDate)
      } catch {
        throw CommandFailure(.usage, "--by-date cannot use \"\(byDate)\": \(error.reason).")
      }
    }
    let destination = try ImportDestination(places[places.count - 1].bytes, into: into?.bytes)
    let sources = try ImportSources(
      places.dropLast().map(\.bytes), destination: destination, deletesOriginals: deleteOriginals)
    if watch, let file = sources.all.first(where: { (try? BytePath($0.path).identity().isFile) ?? false }) {
      throw CommandFailure(.usage, "\(TerminalText.safe(file.path)) is a file; --watch takes folders.")
    }
    if deleteOriginals, !yes, Terminal() == nil {
      throw CommandFailure(
        .usage, "--delete-originals asks at a terminal, and there is none; add --yes to delete without asking.")
    }
    try ImportDialogue(
      destination: destination, sources: sources, pattern: pattern, command: self
    ).run()
  }
}
