internal import ArgumentParser
internal import Client
internal import Media

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Copy photos out into a folder or zip, and verify.",
    usage: "agonyfs export [<options>] <mount>|<vault> [<query> ...] <destination>", discussion: HelpText.exporting)

  @Argument(
    help: """
      A mounted space, an album in it, or a vault; then a query, or nothing for every file; then a folder, a file that \
      ends in .zip, or - for an archive on standard output.
      """, completion: .file())
  var words: [Word]

  @Flag(help: "Write what agonyfs tag set to NAME.xmp files.")
  var xmp = false

  @Option(help: "Remove the place (location) or all metadata (all) from the copies.")
  var strip: Stripping?

  @Option(
    help: ArgumentHelp("Make JPEGs of pictures, with at most this many pixels on the longer side.", valueName: "pixels")
  )
  var resize: Int?

  @Flag(help: "Replace characters that Windows and exFAT refuse by _.")
  var portable = false

  @Flag(inversion: .prefixedNo, help: "Compare with the vault, and read the copies back.")
  var verify = true

  @OptionGroup
  var decoder: DecoderOptions

  @OptionGroup
  var vault: VaultOptions

  enum Stripping: String, ExpressibleByArgument, CaseIterable {
    case location, all

    var mode: StripMode { self == .location ? .location : .all }
  }

  /// Most pixels of a side that a JPEG can have.
  private static let mostPixels = 65_500

  func validate() throws {
    if words.count < 2 { throw ValidationError("Name the mounted space or the vault first, and the destination last.") }
    if let resize, !(16...Self.mostPixels).contains(resize) {
      throw ValidationError("--resize takes a number of pixels from 16 to \(Self.mostPixels).")
    }
  }

  /// Refuses a query without a destination: otherwise everything would be exported to a folder with the query's text as
  /// its name.
  private func checkDestination() throws {
    let last = words[words.count - 1]
    let isNew = (try? BytePath(last.bytes).status()) == nil
    guard isNew, last.text.contains(":"), !last.text.contains("/"), (try? PhotoLibrary.check(last.text)) != nil else {
      return
    }
    throw CommandFailure(
      .usage,
      "The last word, \(TerminalText.safe(last.bytes)), is a part of a query; name a destination after it, or put ./ before "
        + "it if it is the name of a folder.")
  }

  func run() throws {
    // Mistakes in the words are reported before the password is asked for.
    let asked = words[1..<(words.count - 1)]
    guard asked.allSatisfy(\.isText) else {
      throw CommandFailure(.usage, "A word of the query is not UTF-8 text; type it in UTF-8.")
    }
    let query = asked.map(\.text).joined(separator: " ")
    try PhotoLibrary.check(query)
    try checkDestination()
    let destination = try ExportDestination(words[words.count - 1].bytes)
    let library: PhotoLibrary
    if let mounted = try PhotoLibrary.mounted(at: words[0].bytes) {
      library = mounted
      try destination.checkOutside(mounted)
    } else {
      library = try PhotoLibrary.vault(at: words[0].bytes, vault)
    }
    try ExportDialogue(library: library, query: query, destination: destination, command: self).run()
  }
}
