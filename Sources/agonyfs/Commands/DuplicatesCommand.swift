internal import ArgumentParser
internal import Catalog
internal import Client
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage

struct DuplicatesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "duplicates", abstract: "Find duplicate photos, and merge them.",
    discussion: HelpText.duplicates)

  @Argument(help: "A mounted space or a directory in it, or the files for --split.", completion: .file())
  var places: [Word]

  @Flag(help: "Include pictures that look alike but differ.")
  var similar = false

  @Flag(help: "Keep one file of each group, and move the others to the trash folder.")
  var merge = false

  @Option(
    help: ArgumentHelp(
      "The file that --merge keeps: best (facts of a camera, then most pixels, then oldest), largest, oldest, ask. "
        + "(default: best)",
      valueName: "which")
  )
  var keep: String?

  @Flag(help: "Merge without asking.")
  var yes = false

  @Flag(help: "Record that these files are not duplicates.")
  var split = false

  @Flag(help: "Print a line of JSON for each group.")
  var json = false

  func validate() throws {
    if keep != nil || yes, !merge { throw ValidationError("--keep and --yes need --merge.") }
    if split, merge || similar || json {
      throw ValidationError("--split does not work with --merge, --similar and --json.")
    }
    if !split, places.count != 1 {
      throw ValidationError("Name one directory: where the space is mounted, or one in it.")
    }
    if let keep, DuplicateGroup.Keeping(rawValue: keep) == nil {
      throw ValidationError("--keep takes best, largest, oldest or ask.")
    }
    if keep == "ask", yes || json { throw ValidationError("--keep ask asks questions; leave out --yes and --json.") }
  }

  func run() throws {
    if split {
      var change = WordsChange()
      change.values[.distinct] = Array("1".utf8)
      for file in places { try Tagger(change: change).tag(file.bytes) }
      return
    }
    let path = places[0].bytes
    guard let place = try PhotoLibrary.place(of: path) else { throw PhotoLibrary.notMounted(path) }
    let library = PhotoLibrary(place, as: path, source: MountedSource(mountPoint: place.mountPoint))
    if merge {
      let keeping = keep.flatMap { DuplicateGroup.Keeping(rawValue: $0) } ?? .best
      try DuplicateDialogue(
        finder: DuplicateFinder(library, similar: similar), mountPoint: place.mountPoint, keeping: keeping,
        isAgreedTo: yes, isJSON: json
      ).run()
    } else {
      try list(DuplicateFinder(library, similar: similar))
    }
  }

  private func list(_ finder: DuplicateFinder) throws {
    let output = OutputBuffer()
    let isTerminal = isatty(STDOUT_FILENO) == 1
    var groups = 0
    // Counted once, because a file may be in several groups.
    var others = Set<[UInt8]>()
    var bytes = 0
    try finder.all { group in
      groups += 1
      let members = group.sorted(by: .best)
      for member in group.others(than: members[0]).going where others.insert(member.path).inserted {
        bytes += member.room
      }
      if json {
        try output.append { $0 += JSONWriter.bytes(finder.shown(group)) + [UInt8(ascii: "\n")] }
        return
      }
      if groups > 1 { try output.line("") }
      try output.line("\(members.count.counted("file")): \(group.kind.words)")
      for member in members {
        let path = finder.library.shown(member.path)
        let facts = [ShortWords.size(member.size), member.dimensions].filter { !$0.isEmpty }.joined(separator: ", ")
        let shown = isTerminal ? Array(TerminalText.safe(path).utf8) : path
        try output.append { $0 += Array("  ".utf8) + shown + Array("  (\(facts))\n".utf8) }
      }
    }
    try output.flush()
    if groups == 0 {
      Output.note("No duplicates were found.")
    } else {
      Output.note(
        "\(groups.counted("group")); removing \(others.count) of these files would free "
          + "\(ByteSize(bytes: Int64(bytes))).")
    }
  }
}
