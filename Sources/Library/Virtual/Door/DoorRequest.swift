// A request written to the door: lines of options, an empty line, and the query. Without an empty line everything is
// the query. The article on the door lists the options.

internal import Catalog
internal import Media
internal import System

struct DoorRequest {
  enum Format: String, CaseIterable {
    case paths, paths0, json, tiles, count, groups
  }

  enum Subject {
    case answers(CatalogQuestion, Format)
    case groups(CatalogQuestion, GroupField)
    /// The facts of one file, by its path from the root.
    case facts([UInt8])
    case duplicates(DuplicateKind)
    /// All files of given lengths, whatever they contain.
    case sizes(Set<Int64>)
    /// The home zone of the space.
    case zone
  }

  /// Why a request is refused, as text for the user.
  struct Refusal: Error, Equatable {
    var text: String
  }

  static let mostBytes = 1 << 20

  let subject: Subject

  /// Reads a request. `today` is the day that words such as "today" mean.
  init(_ bytes: [UInt8], today: CivilDate?) throws(Refusal) {
    guard bytes.count <= Self.mostBytes else { throw Self.tooLong }
    let (lines, query) = Self.parts(of: bytes)
    var options = Options()
    for line in lines { try options.take(line) }
    if let path = options.facts {
      subject = .facts(path)
      return
    }
    if options.zone {
      subject = .zone
      return
    }
    if options.sizes {
      subject = .sizes(try Self.sizes(query))
      return
    }
    if let kind = options.duplicates {
      guard query.allSatisfy({ $0 == 0x20 || $0 == 0x0A }) else {
        throw Refusal(text: "Duplicates are searched in the whole space; leave the query out")
      }
      subject = .duplicates(kind)
      return
    }
    let parsed: Query
    do throws(QueryError) {
      parsed = try QueryParser.parse(query, today: today)
    } catch {
      throw Refusal(text: error.pointing(in: query))
    }
    if let cursor = options.after, cursor.order != options.order {
      throw Refusal(text: "This cursor belongs to another order; ask with the same sort")
    }
    let question = CatalogQuestion(
      parsed, order: options.order, after: options.after, limit: options.limit, stacks: options.stacks,
      includesTrash: options.trash, within: options.within, prefix: options.prefix)
    if let field = options.group {
      subject = .groups(question, field)
    } else if options.format == .groups {
      throw Refusal(text: "Groups need an option group FIELD, where FIELD is one of \(Options.groupFields)")
    } else {
      subject = .answers(question, options.format)
    }
  }

  private static func sizes(_ text: [UInt8]) throws(Refusal) -> Set<Int64> {
    var sizes: Set<Int64> = []
    for word in text.split(whereSeparator: { $0 == 0x20 || $0 == 0x0A }) {
      guard let size = Int64(String(decoding: word, as: UTF8.self)), size >= 0 else {
        throw Refusal(text: "sizes takes numbers of bytes instead of a query")
      }
      sizes.insert(size)
    }
    return sizes
  }

  static let tooLong = Refusal(text: "A request has at most \(mostBytes) bytes")

  private static func parts(of bytes: [UInt8]) -> (lines: [ArraySlice<UInt8>], query: [UInt8]) {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    while let end = bytes[start...].firstIndex(of: 0x0A) {
      var line = bytes[start..<end]
      if line.last == 0x0D { line.removeLast() }
      start = end + 1
      if line.isEmpty { return (lines, Array(bytes[start...])) }
      lines.append(line)
    }
    return ([], bytes)
  }

  private struct Options {
    var format = Format.paths
    var order = SortOrder.standard
    var limit: Int?
    var after: Cursor?
    var group: GroupField?
    var stacks = false
    var trash = false
    var facts: [UInt8]?
    var duplicates: DuplicateKind?
    var sizes = false
    var zone = false
    var within: [UInt8] = []
    var prefix: [UInt8] = []

    static let groupFields = GroupField.allCases.map(\.rawValue).joined(separator: ", ")

    mutating func take(_ line: ArraySlice<UInt8>) throws(Refusal) {
      let space = line.firstIndex(of: 0x20) ?? line.endIndex
      let key = String(decoding: line[..<space].prefix(40), as: UTF8.self)
      let bytes = line[space...].dropFirst()
      // Paths are bytes; everything else is text.
      let value = String(decoding: bytes, as: UTF8.self)
      switch key {
      case "facts": facts = Array(bytes)
      // A name may contain a newline.
      case "facts-hex": facts = try path(bytes, line, "facts-hex")
      case "format":
        let formats = Format.allCases.map(\.rawValue).joined(separator: ", ")
        format = try known(Format(rawValue: value), line, "format must be one of \(formats)")
      case "sort": order = try sortOrder(value, line)
      case "limit":
        guard let number = Int(value), number >= 0, value.utf8.count <= 18 else {
          throw refusal(line, "limit must be a number from 0")
        }
        limit = number
      case "after": after = try known(Cursor(value), line, "after takes the cursor of an answer")
      case "group": group = try known(GroupField(rawValue: value), line, "group must be one of \(Self.groupFields)")
      case "duplicates":
        let kinds = DuplicateKind.allCases.map(\.rawValue).joined(separator: ", ")
        duplicates = try known(DuplicateKind(rawValue: value), line, "duplicates must be one of \(kinds)")
      case "within": within = try path(bytes, line, "within")
      case "prefix": prefix = try path(bytes, line, "prefix")
      case "sizes": sizes = try flag(value, line)
      case "zone": zone = try flag(value, line)
      case "stacks": stacks = try flag(value, line)
      case "trash": trash = try flag(value, line)
      default:
        throw refusal(
          line, "this option does not exist; an empty line must separate the options from the query, which is one line")
      }
    }

    private func sortOrder(_ value: String, _ line: ArraySlice<UInt8>) throws(Refusal) -> SortOrder {
      let isReversed = value.first == "-"
      let key = try known(
        SortKey(word: value.dropFirst(isReversed ? 1 : 0)), line,
        "sort must be one of \(SortKey.words), with a minus for the reverse order")
      return SortOrder(key, isTurned: isReversed)
    }

    private func flag(_ value: String, _ line: ArraySlice<UInt8>) throws(Refusal) -> Bool {
      switch value {
      case "1", "": return true
      case "0": return false
      default: throw refusal(line, "1 or 0")
      }
    }

    private func path(
      _ digits: ArraySlice<UInt8>, _ line: ArraySlice<UInt8>, _ key: String
    ) throws(Refusal) -> [UInt8] {
      let reason = "\(key) takes a path in pairs of hexadecimal digits, in lower case"
      return try known(Hexadecimal.bytes(of: digits), line, reason)
    }

    private func known<Value>(_ value: Value?, _ line: ArraySlice<UInt8>, _ reason: String) throws(Refusal) -> Value {
      guard let value else { throw refusal(line, reason) }
      return value
    }

    private func refusal(_ line: ArraySlice<UInt8>, _ reason: String) -> Refusal {
      // Without control characters.
      let shown = String(decoding: line.prefix(60).map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
      return Refusal(text: "The option \"\(shown)\" is not understood: \(reason)")
    }
  }
}
