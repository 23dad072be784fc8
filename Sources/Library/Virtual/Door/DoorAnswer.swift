// The bytes of an answer, made while they are read.
//
// Invariants
// 1. At most one piece waits to be read: 512 KiB, and one line more. Groups are an exception: all are counted before
//    the first is written.
// 2. Every complete answer ends with a line that says so. An answer that breaks off, or has an error instead, is
//    incomplete.
// 3. Photos in the order of a question come from one moment, however late they are read. If that moment ends, the
//    answer breaks off after whole entries, and names the place where another answer continues. Each answer gives at
//    least one entry before it breaks off.

internal import Albums
internal import Catalog
internal import Glibc
internal import Index
internal import System
internal import SystemPackage
internal import Vault

struct DoorAnswer {
  private enum Source {
    case answers(CatalogReader, DoorRequest.Format)
    case count(CatalogQuestion)
    case groups(CatalogQuestion, GroupField)
    case facts([UInt8])
    case duplicates(DuplicateSearch)
    case sizes(SizeSearch)
    case zone
    case nothing
  }

  private let fileSystem: FileSystem
  private let opener: Opener
  private var source: Source
  /// Bytes that wait to be read.
  private(set) var text = JSONText()
  private var place = 0
  private var isBegun = false
  /// The moment from which the answer is read.
  private var asked = AskedMoment()

  /// Bytes that are made at once, at least.
  private static let pieceBytes = 128 << 10
  /// Answers that are made at once, each with its facts for JSON.
  private static let answersAtOnce = 500
  private static let pathsAtOnce = 4000

  /// The answer to a request. Its bytes are made when they are read.
  init(_ request: [UInt8]?, from fileSystem: FileSystem, for opener: Opener, today: CivilDate?) {
    self.fileSystem = fileSystem
    self.opener = opener
    source = .nothing
    do throws(DoorRequest.Refusal) {
      guard let request else { throw DoorRequest.tooLong }
      switch try DoorRequest(request, today: today).subject {
      case .answers(let question, .count): source = .count(question)
      case .answers(let question, let format):
        source = .answers(CatalogReader(question, for: opener, from: fileSystem, writing: format.writing), format)
      case .groups(let question, let field): source = .groups(question, field)
      case .facts(let path): source = .facts(path)
      case .duplicates(let kind): source = .duplicates(DuplicateSearch(kind: kind))
      case .sizes(let sizes): source = .sizes(SizeSearch(sizes, for: opener))
      case .zone: source = .zone
      }
    } catch {
      refuse(error.text)
    }
  }

  /// The next bytes, at most `count`; empty at the end.
  mutating func read(_ count: Int) -> ArraySlice<UInt8> {
    while place == text.bytes.count, !isAtEnd { make() }
    let end = min(text.bytes.count, place + count)
    defer { place = end }
    return text.bytes[place..<end]
  }

  /// Whether the next read looks at many photos before it returns, since it sorts, counts or compares them.
  var takesLong: Bool {
    if place < text.bytes.count { return false }
    return switch source {
    case .answers(let reader, _): reader.isSorted
    case .count, .groups, .duplicates, .sizes: true
    case .facts, .zone, .nothing: false
    }
  }

  private var isAtEnd: Bool { if case .nothing = source { true } else { false } }

  private mutating func refuse(_ message: String) {
    text.removeAll()
    text.line("error")
    text.line(message)
    place = 0
    source = .nothing
  }

  private mutating func make() {
    text.removeAll()
    place = 0
    let isFirst = !isBegun
    do throws(Errno) {
      if isFirst {
        // The home zone is not part of the catalog, and does not depend on stale rows.
        if case .zone = source {} else { try fileSystem.questions.prepareToAnswer() }
        text.line("ok")
        isBegun = true
      }
      switch source {
      case .answers(var reader, let format):
        // Moved out, so that its state is not copied while it continues.
        source = .nothing
        answers(of: &reader, format, isFirst: isFirst)
      case .count(let question):
        text.line(String(try fileSystem.questions.count(of: question, for: opener)))
        source = .nothing
      case .groups(let question, let field):
        try groups(question, field)
        source = .nothing
      case .facts(let path):
        try fileSystem.questions.writeFacts(ofPath: path, for: opener, to: &text)
        try trailer(count: 1, next: nil)
        source = .nothing
      case .duplicates(var search):
        try duplicates(&search)
        source = search.isAtEnd ? .nothing : .duplicates(search)
      case .sizes(var search):
        try sizes(&search)
        source = search.isAtEnd ? .nothing : .sizes(search)
      case .zone:
        text.beginObject()
        text.field("zone", fileSystem.homeZone)
        try towns()
        text.endObject()
        text.endLine()
        try trailer(count: 1, next: nil)
        source = .nothing
      case .nothing: break
      }
    } catch {
      fail(error, isFirst: isFirst, .json)
    }
  }

  /// Writes why there is no answer, or not the rest of it, and where the rest begins if it can be asked for.
  private mutating func fail(_ error: Errno, isFirst: Bool, _ format: DoorRequest.Format, next: Cursor? = nil) {
    let reason =
      switch error {
      case .notSupported: "This space has no catalog yet; mount it once for writing"
      case .noSuchFileOrDirectory: NoFacts.gone.rawValue
      case .isDirectory: NoFacts.directory.rawValue
      case .noData: NoFacts.noPhoto.rawValue
      case .nowInProgress: NoFacts.notExamined.rawValue
      case .permissionDenied: NoFacts.closed.rawValue
      case .canceled: "The state that this was read from has expired; ask again"
      default: "The catalog cannot be read (\(error))"
      }
    if isFirst, next == nil { return refuse(reason) }
    text.breakOff(reason, in: format, next: next)
    source = .nothing
  }

  private mutating func answers(of reader: inout CatalogReader, _ format: DoorRequest.Format, isFirst: Bool) {
    do throws(Errno) {
      try pieces(of: &reader, format)
      if reader.isAtEnd {
        text.raw(format.endOfAll)
        try trailer(count: reader.count, next: reader.next)
      } else {
        source = .answers(reader, format)
      }
    } catch {
      // The answers given so far are already written.
      fail(error, isFirst: isFirst, format, next: error == .canceled && reader.count > 0 ? reader.cursor : nil)
    }
  }

  private mutating func pieces(of reader: inout CatalogReader, _ format: DoorRequest.Format) throws(Errno) {
    var answers: [CatalogAnswer] = []
    let room = format == .json ? Self.answersAtOnce : Self.pathsAtOnce
    repeat {
      answers.removeAll(keepingCapacity: true)
      // The reader writes JSON straight into the bytes of the answer.
      swap(&text, &reader.text)
      defer { swap(&text, &reader.text) }
      try fileSystem.questions.piece(&reader, of: &asked, room: room, into: &answers, isOfOne: true)
      guard let end = format.end else { continue }
      for answer in answers {
        reader.text.raw(answer.path)
        reader.text.raw(end)
      }
    } while !reader.isAtEnd && text.bytes.count < Self.pieceBytes
  }

  private mutating func groups(_ question: CatalogQuestion, _ field: GroupField) throws(Errno) {
    let told = try fileSystem.questions.asking { files throws(Errno) -> (lines: [UInt8], count: Int) in
      let groups = try fileSystem.questions.groups(of: question, by: field, for: opener, files)
      let shown = groups.prefix(question.limit ?? .max)
      var view = CatalogView(question, for: opener)
      var lines = JSONText()
      for group in shown {
        let names = try view.names(of: InodeNumber(rawValue: group.newest), files).map(\.path)
        lines.value(group, newest: names.min { $0.lexicographicallyPrecedes($1) }.map { view.shown($0) })
        lines.endLine()
      }
      return (lines.bytes, shown.count)
    }
    text.raw(told.lines)
    try trailer(count: told.count, next: nil)
  }

  private mutating func duplicates(_ search: inout DuplicateSearch) throws(Errno) {
    repeat {
      switch try search.next(in: fileSystem) {
      case .nothing: continue
      case .waiting(let left):
        // Decoding takes long. The program may close the door between two reads, and in the meantime the thread
        // serves others.
        text.beginObject()
        text.field("kind", search.kind.rawValue)
        text.field("left", Int64(left))
        text.endObject()
        text.endLine()
        return
      case .group(let group):
        guard let line = try line(of: group, search.kind) else { continue }
        search.noteTold()
        text.raw(line)
        text.endLine()
      }
    } while !search.isAtEnd && text.bytes.count < Self.pieceBytes
    if search.isAtEnd { try trailer(count: search.count, next: nil) }
  }

  /// A group of duplicates as a line; nil if the user sees fewer than two of them.
  private mutating func line(of group: [InodeNumber], _ kind: DuplicateKind) throws(Errno) -> [UInt8]? {
    let fileSystem = fileSystem
    let opener = opener
    return try fileSystem.questions.reading(&asked) { files throws(Errno) -> [UInt8]? in
      let seen = try fileSystem.duplicates.seen(among: group, for: opener, files)
      if seen.isEmpty { return nil }
      var line = JSONText()
      line.beginObject()
      line.field("kind", kind.rawValue)
      line.name("members")
      line.beginArray()
      for item in seen { try fileSystem.questions.writeFacts(of: item, for: opener, to: &line, files) }
      line.endArray()
      line.endObject()
      return line.bytes
    }
  }

  private mutating func sizes(_ search: inout SizeSearch) throws(Errno) {
    while !search.isAtEnd, text.bytes.count < Self.pieceBytes {
      let found = try fileSystem.questions.reading(&asked) { files throws(Errno) in try search.next(files) }
      for file in found {
        text.beginObject()
        text.field("path", file.path, digits: "pathBytes")
        text.field("size", file.size)
        text.endObject()
        text.endLine()
      }
    }
    if search.isAtEnd { try trailer(count: search.count, next: nil) }
  }

  /// Writes whether the space uses a table of towns of the user's own. Only the user who mounted the space, its owner
  /// and root see its path: it may reveal directories that are private to that user.
  private mutating func towns() throws(Errno) {
    let places = fileSystem.library.options.places
    if places.identity == nil { return }
    let isOwner = try fileSystem.questions.isOwner(opener)
    if isOwner || opener.user == geteuid() {
      text.field("towns", places.towns.bytes, digits: "townsBytes")
    } else {
      text.field("townsHidden", true)
    }
  }

  private mutating func trailer(count: Int, next: Cursor?) throws(Errno) {
    text.beginObject()
    text.field("end", true)
    text.field("count", Int64(count))
    text.name("next")
    if let next { text.value(next.text) } else { text.null() }
    // These counts include files that other users cannot see.
    if try fileSystem.questions.isOwner(opener) {
      let unexamined = try fileSystem.thumbnailer.unexaminedCount()
      text.field("pending", unexamined)
      text.field("examining", fileSystem.thumbnailer.examiningCount(of: unexamined) > 0)
    }
    text.endObject()
    text.endLine()
  }
}

extension DoorRequest.Format {
  /// The part that the reader itself writes.
  fileprivate var writing: CatalogReader.Writing {
    switch self {
    case .json: .facts
    case .tiles: .tiles
    case .paths, .paths0, .count, .groups: .nothing
    }
  }

  fileprivate var hasLines: Bool { self != .tiles && self != .paths0 }

  /// Stands before the last line: an empty path.
  fileprivate var endOfAll: [UInt8] {
    if self == .tiles { [UInt8](repeating: 0, count: CatalogTile.count + 1) } else { end.map { [$0] } ?? [] }
  }

  /// The byte that ends a path; nil if the reader writes the entries.
  fileprivate var end: UInt8? {
    switch self {
    case .paths: 0x0A
    case .paths0: 0
    case .json, .tiles, .count, .groups: nil
    }
  }
}

extension JSONText {
  /// Ends an incomplete answer. In formats without lines, a newline would become a byte of the next entry, so none is
  /// added.
  ///
  /// - Parameter next: where another answer has the rest, if all entries are complete.
  mutating func breakOff(_ reason: String, in format: DoorRequest.Format, next: Cursor? = nil) {
    if format.hasLines { breakLine() }
    raw(format.endOfAll)
    beginObject()
    field("end", false)
    field("error", reason)
    if let next { field("next", next.text) }
    endObject()
    endLine()
  }

  fileprivate mutating func line(_ text: String) { raw(Array(text.utf8) + [0x0A]) }

  fileprivate mutating func value(_ group: AnswerGroup, newest: [UInt8]?) {
    beginObject()
    name("title")
    if let title = group.title { value(title) } else { null() }
    field("titleBytes", digitsOf: group.titleBytes)
    field("count", Int64(group.count))
    if let newest { field("newest", newest, digits: "newestBytes") }
    field("query", group.query)
    endObject()
  }
}
