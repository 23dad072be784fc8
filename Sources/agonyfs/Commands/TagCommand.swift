internal import ArgumentParser
internal import Catalog
internal import Client
internal import Glibc
internal import System
internal import SystemPackage

struct TagCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag", abstract: "Set tags, titles, people, ratings, times and places.", discussion: HelpText.tag)

  /// The fields that `--clear` accepts.
  enum ClearedField: String, CaseIterable, ExpressibleByArgument {
    case tags, title, caption, rating, favourite, people, taken, position, fields, stack, distinct

    var words: [UserWord] {
      switch self {
      case .tags: [.tags, .without]
      case .title: [.title]
      case .caption: [.caption]
      case .rating: [.rating]
      case .favourite: [.favourite]
      case .people: [.people]
      case .taken: [.taken]
      case .position: [.position]
      case .fields: [.fields]
      case .stack: [.stack]
      case .distinct: [.distinct]
      }
    }
  }

  @Argument(
    help: ArgumentHelp(
      "Photos and videos in a mounted space. With --from: one directory. With --shift: files, or a directory and a query."
    ),
    completion: .file())
  var files: [Word] = []

  @Option(parsing: .unconditionalSingleValue, help: ArgumentHelp("Add tags, separated by commas.", valueName: "tags"))
  var add: [String] = []

  @Option(parsing: .unconditionalSingleValue, help: ArgumentHelp("Remove tags.", valueName: "tags"))
  var remove: [String] = []

  @Option(parsing: .unconditional, help: ArgumentHelp("Replace all tags; '' removes all.", valueName: "tags"))
  var set: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Set the title; '' removes it.", valueName: "text"))
  var title: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Set the caption; '' removes it.", valueName: "text"))
  var caption: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Set stars from 1 to 5; 0 is unrated.", valueName: "stars"))
  var rating: Int?

  @Flag(inversion: .prefixedNo, help: "Mark as a favourite, or remove the mark.")
  var favourite: Bool?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Add a person; give it several times for more.", valueName: "name"))
  var person: [String] = []

  @Option(parsing: .unconditionalSingleValue, help: ArgumentHelp("Remove a person.", valueName: "name"))
  var removePerson: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Set when it was taken, as far as you know: 1961-07, or 2019-08-15T12:34:56+02:00.",
      valueName: "time"))
  var taken: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Add this to the known time: +1h30m, -30m or +1d.", valueName: "shift"))
  var shift: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Set the place: 48.85,2.35, or none.", valueName: "latitude,longitude"))
  var position: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Make a stack of files in a directory by giving them one word; apart: no stack; none: automatic.",
      valueName: "word"))
  var stack: String?

  @Flag(help: "Make the file the cover of its album.")
  var cover = false

  @Option(
    help: ArgumentHelp(
      "Undo what you set.", valueName: "field"))
  var clear: [ClearedField] = []

  @Option(
    name: .customLong("files0-from"),
    help: ArgumentHelp(
      "Read paths that end with a zero byte, as list -0 prints; - is standard input.", valueName: "file"))
  var filesFrom: FileArgument?

  @Option(help: ArgumentHelp("Read facts from a JSON or CSV file.", valueName: "file"), completion: .file())
  var from: FileArgument?

  @Option(
    help: ArgumentHelp(
      "With --from: fields of the file, each with ours.", valueName: "theirs=ours,…"))
  var map: [String] = []

  @Flag(help: "With --from: only show what it would do.")
  var dryRun = false

  func validate() throws {
    if from == nil, !map.isEmpty || dryRun { throw ValidationError("--map and --dry-run need --from.") }
    if from != nil, files.count != 1 || filesFrom != nil {
      throw ValidationError("--from takes one directory: where the space is mounted, or one in it.")
    }
    if from == nil, files.isEmpty, filesFrom == nil { throw ValidationError("Name the files to tag.") }
    if set != nil, !add.isEmpty || !remove.isEmpty {
      throw ValidationError("--set replaces all tags; leave out --add and --remove.")
    }
  }

  func run() throws {
    let change: WordsChange
    do throws(WordsRefused) {
      change = try self.change()
    } catch {
      throw CommandFailure(.usage, error.reason)
    }
    if let from = from?.path {
      guard change.isEmpty, shift == nil else {
        throw CommandFailure(.usage, "--from does not work with another change; make one change after the other.")
      }
      try FactImport(from: from, map: map.joined(separator: ","), place: files[0].bytes, isTrial: dryRun).run()
      return
    }
    guard !change.isEmpty || shift != nil else {
      throw CommandFailure(.usage, "Say what to change, such as --add TAG; see agonyfs tag --help.")
    }
    if let shift {
      guard change.isEmpty else {
        throw CommandFailure(.usage, "--shift does not work with another change; make one change after the other.")
      }
      var clock = try ClockShift(shift)
      try clock.take(files, listed())
      let (done, first) = try Self.apply(clock.changes)
      Output.line("\(done.counted("photo")) shifted, \(clock.left) unchanged.")
      if let first { throw ExitCode(first.status.rawValue) }
      return
    }
    let paths = try files.map(\.bytes) + listed()
    if change.isCover, paths.count > 1 { throw CommandFailure(.usage, "An album has one cover; name one file.") }
    if let first = try Self.apply(paths.map { ($0, change) }).first { throw ExitCode(first.status.rawValue) }
  }

  /// Changes the words about files. With several files, refusals are printed and the rest continues.
  ///
  /// - Returns: how many were changed, and the first failure.
  private static func apply(
    _ changes: [(path: [UInt8], change: WordsChange)]
  ) throws -> (done: Int, first: CommandFailure?) {
    var done = 0
    var first: CommandFailure?
    for (path, change) in changes {
      do {
        try Tagger(change: change).tag(path)
        done += 1
      } catch let failure as CommandFailure {
        if changes.count == 1 || failure.status == .usage { throw failure }
        Output.note(failure.message)
        first = first ?? failure
      }
    }
    return (done, first)
  }

  private func listed() throws -> [[UInt8]] {
    guard let filesFrom = filesFrom?.path else { return [] }
    return try CommandFailure.doing("reading the names of files") { () throws(Errno) in
      let file = filesFrom == "-" ? Descriptor.standardInput : try Descriptor.open(filesFrom, O_RDONLY)
      return try file.readToEnd().split(separator: 0).map { Array($0) }
    }
  }

  private func change() throws(WordsRefused) -> WordsChange {
    var change = WordsChange()
    change.addedTags = Self.tags(add)
    change.removedTags = Self.tags(remove)
    change.tags = set.map { Self.tags([$0]) }
    change.addedPeople = WordList.unique(person.map(WordList.line))
    change.removedPeople = WordList.unique(removePerson.map(WordList.line))
    change.isCover = cover
    for word in clear.flatMap(\.words) { change.values[word] = .some(nil) }
    if let title { change.values[.title] = try UserWord.value(title: title) }
    if let caption { change.values[.caption] = try UserWord.value(caption: caption) }
    if let rating { change.values[.rating] = try UserWord.value(rating: rating) }
    if let favourite { change.values[.favourite] = Array((favourite ? "1" : "0").utf8) }
    if let taken { change.values[.taken] = taken.isEmpty ? [] : try UserWord.value(taken: taken) }
    if let position { change.values[.position] = try UserWord.value(position: position) }
    if let stack { change.values[.stack] = .some(try UserWord.value(stack: stack)) }
    // Checked here so that a mistake is reported once rather than for each file.
    _ = try UserWord.value(tags: change.addedTags + (change.tags ?? []))
    _ = try UserWord.value(people: change.addedPeople)
    return change
  }

  private static func tags(_ texts: [String]) -> [String] {
    WordList.unique(texts.flatMap { $0.split(separator: ",").map { WordList.line(String($0)) } })
  }
}
