internal import CPlatform
internal import Catalog
internal import Client
internal import Glibc
internal import System

struct PhotoListing {
  enum Form: Equatable {
    /// A table on a terminal, paths elsewhere.
    case usual
    case long
    case json
    case template(AnswerTemplate)
  }

  /// How many photos a terminal shows, unless the user asks for more.
  static let screenful = 100
  /// How many rows decide the widths of the columns.
  private static let sample = 1000

  let library: PhotoLibrary
  let form: Form
  /// Whether entries end with a zero byte instead of a line end.
  let endsWithZero: Bool
  /// Whether standard output is a terminal, and how many columns that has.
  let isTerminal: Bool
  let columns: Int

  private let output = OutputBuffer()

  init(_ library: PhotoLibrary, as form: Form, endsWithZero: Bool = false) {
    self.library = library
    self.form = form
    self.endsWithZero = endsWithZero
    isTerminal = isatty(STDOUT_FILENO) == 1
    let known = Int(agonyfs_terminal_columns(STDOUT_FILENO))
    let variable = unsafe getenv("COLUMNS").flatMap { unsafe Int(String(cString: $0)) }
    columns = known > 0 ? known : variable ?? 80
  }

  func photos(_ request: CatalogRequest) throws {
    var request = request
    if isTerminal, form == .usual, !endsWithZero, request.limit == nil { request.limit = Self.screenful }
    // A negative limit means no limit.
    if let limit = request.limit, limit < 0 { request.limit = nil }
    let trailer =
      switch form {
      case .usual where endsWithZero || !isTerminal: try paths(request)
      case .usual: try table(request)
      case .json: try json(request)
      case .long: try blocks(request)
      case .template(let template): try formatted(request, template)
      }
    try output.flush()
    try close(trailer, of: request)
  }

  func count(_ request: CatalogRequest) throws {
    let count = try Self.count(request, library)
    if form == .json { try output.line("{\"count\":\(count)}") } else { try output.line("\(count)") }
    try output.flush()
    // The answer with a number has no trailer, so a second request gets the pending count.
    var first = request
    first.format = .paths
    first.limit = 1
    var reader = try library.source.answer(to: first)
    notePending(try reader.paths { _ in })
  }

  func groups(_ request: CatalogRequest) throws {
    var request = request
    // A negative limit means no limit.
    if let limit = request.limit, limit < 0 { request.limit = nil }
    if form == .json { return notePending(try json(request)) }
    var reader = try library.source.answer(to: request)
    var rows: [(count: Int, title: String)] = []
    let trailer = try reader.lines { line in
      guard let group = try? JSONReader.value(of: Array(line)), let count = group["count"]?.whole else {
        throw AnswerReader.unknownAnswer
      }
      rows.append((count, group["title"]?.text ?? ""))
    }
    let width = rows.map { String($0.count).count }.max() ?? 0
    for (count, title) in rows {
      guard isTerminal else {
        try output.line("\(count)\t\(TerminalText.safe(title))")
        continue
      }
      let shown = title.isEmpty ? "(none)" : TerminalText.safe(title)
      try output.line(
        TerminalText.fitted("\(count)", to: width, toTheRight: true) + "  "
          + (TerminalText.width(shown) > columns - width - 2
            ? TerminalText.fitted(shown, to: max(1, columns - width - 2)) : shown))
    }
    try output.flush()
    notePending(trailer)
  }

  private static func count(_ request: CatalogRequest, _ library: PhotoLibrary) throws -> Int {
    var request = request
    request.format = .count
    request.limit = nil
    request.after = nil
    request.sort = nil
    var reader = try library.source.answer(to: request)
    return try reader.number().0
  }

  // MARK: Forms

  private func paths(_ request: CatalogRequest) throws -> AnswerTrailer {
    var request = request
    request.format = .paths
    var reader = try library.source.answer(to: request)
    let end = endsWithZero ? 0 : UInt8(ascii: "\n")
    return try reader.paths { path in
      try output.append { bytes in
        if library.album.isEmpty {
          bytes += library.prefix
          bytes += path
        } else {
          bytes += library.shown(path)
        }
        bytes.append(end)
      }
    }
  }

  private func json(_ request: CatalogRequest) throws -> AnswerTrailer {
    var request = request
    request.prefix = library.prefix
    var reader = try library.source.answer(to: request)
    let trailer = try reader.lines { line in
      try output.append { bytes in
        bytes += line
        bytes.append(UInt8(ascii: "\n"))
      }
    }
    try output.flush()
    return trailer
  }

  private func table(_ request: CatalogRequest) throws -> AnswerTrailer {
    var rows: [PhotoTable.Row] = []
    var table: PhotoTable?
    func show() throws {
      let layout = table ?? PhotoTable(for: rows, width: columns)
      table = layout
      for row in rows { try output.line(layout.line(row)) }
      rows.removeAll()
    }
    let trailer = try library.records(request) { record in
      rows.append(.init(record, path: library.shown(record.path)))
      if rows.count == Self.sample { try show() }
    }
    try show()
    return trailer
  }

  private func blocks(_ request: CatalogRequest) throws -> AnswerTrailer {
    var isFirst = true
    return try library.records(request) { record in
      if !isFirst { try output.line("") }
      isFirst = false
      for line in FactSheet(record, in: library).lines(isSafe: isTerminal) {
        try output.append { $0 += line + [UInt8(ascii: "\n")] }
      }
    }
  }

  private func formatted(_ request: CatalogRequest, _ template: AnswerTemplate) throws -> AnswerTrailer {
    let end = endsWithZero ? 0 : UInt8(ascii: "\n")
    return try library.records(request) { record in
      try output.append { bytes in
        bytes += template.bytes(record, isSafe: isTerminal, isLine: !endsWithZero) { library.shown($0) }
        bytes.append(end)
      }
    }
  }

  // MARK: Notes

  private func close(_ trailer: AnswerTrailer, of request: CatalogRequest) throws {
    if let next = trailer.next {
      var rest = ""
      // After a later page, the number of photos before it is unknown. Counting may take longer than the page.
      if request.after == nil, isTerminal { rest = "\(try Self.count(request, library) - trailer.count) more; " }
      Output.note("\(rest)next page: --after \(next)")
    } else if trailer.count == 0, request.after == nil, isTerminal {
      Output.note("Nothing was found.")
    }
    notePending(trailer)
  }

  /// Notes how many files may be missing in an answer.
  private func notePending(_ trailer: AnswerTrailer) {
    guard trailer.pending > 0 else { return }
    let files = trailer.pending.counted("file was", "files were")
    if !library.isMounted {
      Output.note("\(files) not examined yet; agonyfs examines them while the space is mounted.")
    } else if trailer.isExamining {
      Output.note("\(trailer.pending.counted("file is", "files are")) still being examined.")
    } else {
      Output.note(
        "\(files) not examined yet. This mount does not examine them: it is read-only, makes thumbnails only on demand "
          + "or never, or has failed to examine them so far.")
    }
  }
}
