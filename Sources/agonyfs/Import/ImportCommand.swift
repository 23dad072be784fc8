internal import ArgumentParser
internal import Client
internal import Import
internal import SystemPackage

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Copy photos into a mounted space, verify them, and delete the originals if asked.",
    usage: "agonyfs import [<options>] <source> ... <mount>[/<album>]", discussion: HelpText.importing)

  @Argument(help: "Files and folders, and at last where the space is mounted, or an album in it.", completion: .file())
  var places: [Word]

  @Option(help: ArgumentHelp("Put everything into this album; it is made if there is none.", valueName: "album"))
  var into: Word?

  @Option(
    help: ArgumentHelp(
      "Sort into albums by the day a photo was taken, \(DatePattern.standard) if no pattern is given.",
      valueName: "pattern"))
  var byDate: String?

  @Flag(
    inversion: .prefixedNo,
    help: "With --by-date: what belongs to a photo (live video, RAW, sidecar) goes where the photo goes.")
  var moveCompanions = true

  @Flag(inversion: .prefixedNo, help: "Content that the space has gets the name, and is not stored again.")
  var skipDuplicates = true

  @Flag(inversion: .prefixedNo, help: "Read everything back from the vault, and from the source again, and compare.")
  var verify = true

  @Flag(
    inversion: .prefixedNo,
    help: "The sources are the parts of a Google Takeout, or are not to be seen as one (default: it is found out).")
  var takeout: Bool?

  @Flag(help: "Of a Takeout, import what is in its trash, too.")
  var takeoutTrash = false

  @Flag(help: "Import also what systems keep for themselves, such as .DS_Store, Thumbs.db and __MACOSX.")
  var allFiles = false

  @Flag(help: "Delete originals that were verified, after asking once.")
  var deleteOriginals = false

  @Flag(help: "With --delete-originals: do not ask.")
  var yes = false

  @Flag(help: "Go on until it is interrupted: import what appears in the folders once it is complete.")
  var watch = false

  @Flag(help: "Only say what would be done.")
  var dryRun = false

  @OptionGroup
  var decoder: DecoderOptions

  @Option(help: ArgumentHelp("Write a line of JSON for each source file.", valueName: "file"), completion: .file())
  var report: FileArgument?

  func validate() throws {
    if places.count < 2 { throw ValidationError("Name what to import, and at last where the space is mounted.") }
    if deleteOriginals, !verify { throw ValidationError("Only what was verified is deleted; leave --no-verify out.") }
    if deleteOriginals, dryRun { throw ValidationError("--dry-run deletes nothing; leave --delete-originals out.") }
    if watch, dryRun { throw ValidationError("--watch goes on importing; leave --dry-run out.") }
    if watch, deleteOriginals, !yes { throw ValidationError("--watch asks nobody; add --yes to --delete-originals.") }
    if takeoutTrash, takeout == false {
      throw ValidationError("--takeout-trash goes with a Takeout; leave --no-takeout out.")
    }
    if watch, takeout == true { throw ValidationError("A Takeout is imported as a whole; leave --watch out.") }
    if yes, !deleteOriginals { throw ValidationError("--yes goes with --delete-originals.") }
  }

  /// The words with a pattern after `--by-date` joined to it, and the standard one where there is none: a word without
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
        .usage, "Nobody can be asked here whether the originals may be deleted; add --yes if they may.")
    }
    try ImportDialogue(
      destination: destination, sources: sources, pattern: pattern, command: self
    ).run()
  }
}
