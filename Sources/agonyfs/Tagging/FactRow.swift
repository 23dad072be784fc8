internal import Catalog
internal import Client

/// One record of a table of facts, numbered from 1.
struct FactRow: Equatable {
  var number: Int
  /// The texts of each field; a list has several.
  var texts: [String: [String]]

  /// Parses a file of JSON or CSV.
  ///
  /// - Parameter fields: chooses the fields to read; in JSON, a name with points leads into nested objects.
  /// - Throws: `CommandFailure` if the file is neither.
  static func read(_ bytes: [UInt8], named name: String, fields: (_ known: [String]) throws -> [String]) throws
    -> [FactRow]
  {
    let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
    let start = bytes.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    let looksLikeJSON = start == UInt8(ascii: "[") || start == UInt8(ascii: "{")
    if ending != "csv", ending != "tsv", looksLikeJSON || ending.hasPrefix("json") {
      return try json(bytes, name, fields)
    }
    return try csv(bytes, name, fields)
  }

  private static func json(_ bytes: [UInt8], _ name: String, _ fields: ([String]) throws -> [String]) throws
    -> [FactRow]
  {
    var values: [JSONValue] = []
    do throws(JSONReader.Malformed) {
      var reader = JSONReader(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes)
      while !reader.isAtEnd { values.append(try reader.next()) }
    } catch {
      let line = bytes.prefix(error.offset).count { $0 == 0x0A } + 1
      throw CommandFailure(.failure, "\(TerminalText.safe(name)) is not JSON: see line \(line).")
    }
    if case .array(let inside)? = values.first, values.count == 1 { values = inside }
    var known = values.first?.fields.map(\.name) ?? []
    // Most rows lack some of the user's own fields, so all rows are searched for their names.
    var seen = Set(known)
    for value in values {
      known += value.fields.map(\.name).filter { OwnField.begins($0) && seen.insert($0).inserted }
    }
    let asked = try fields(known)
    return values.enumerated().map { index, value in
      var texts: [String: [String]] = [:]
      for field in asked {
        switch value.value(at: field) {
        case nil, .null: break
        case .array(let list): texts[field] = list.map(\.words)
        case let value?: texts[field] = [value.words]
        }
      }
      return FactRow(number: index + 1, texts: texts)
    }
  }

  private static func csv(_ bytes: [UInt8], _ name: String, _ fields: ([String]) throws -> [String]) throws -> [FactRow]
  {
    var rows: [FactRow] = []
    do {
      var reader = CSVReader(bytes)
      guard let header = try reader.next()?.map(Whitespace.trimmed) else { return [] }
      let asked = try fields(header)
      if let missing = asked.first(where: { !header.contains($0) }) {
        throw CommandFailure(
          .usage,
          "The column \"\(TerminalText.safe(missing))\" does not exist; the columns are "
            + "\(header.map { TerminalText.safe($0) }.joined(separator: ", ")).")
      }
      while let record = try reader.next() {
        let number = rows.count + 1
        guard record.count <= header.count else {
          throw CommandFailure(
            .failure,
            "Row \(number) of \(TerminalText.safe(name)) has \(record.count) fields, but the first line has "
              + "\(header.count); put a field that contains the separator in quotes.")
        }
        var texts: [String: [String]] = [:]
        for (field, text) in zip(header, record) where asked.contains(field) && !text.isEmpty { texts[field] = [text] }
        rows.append(FactRow(number: number, texts: texts))
      }
    } catch let error as CSVReader.Malformed {
      throw CommandFailure(.failure, "\(TerminalText.safe(name)) is not CSV: line \(error.line), \(error.reason).")
    }
    return rows
  }
}

/// Maps another program's fields to agonyfs fields.
struct FieldMap: Equatable {
  enum Target: String, CaseIterable {
    case path, name, title, caption, tags, people, rating, favourite, taken, position, latitude, longitude, stack

    /// Parses the name of a field or a synonym.
    init?(word: String) {
      let word = word.lowercased()
      guard let target = Target(rawValue: word) ?? FactField(name: word).flatMap({ Target(rawValue: $0.rawValue) })
      else { return nil }
      self = target
    }
  }

  /// A user-defined field, and the other program's name for it.
  struct Own: Equatable {
    var name: String
    var theirs: String
  }

  /// The other program's names of agonyfs fields.
  var theirs: [Target: String] = [:]
  private(set) var own: [Own] = []
  /// All of the other program's fields that are read.
  var columns: [String] { Array(Set(theirs.values).union(own.map(\.theirs))) }

  /// Parses `THEIRS=OURS,…`; an empty text maps the fields that have the same names.
  ///
  /// - Parameter known: the other program's fields.
  init(_ text: String, known: [String]) throws(CommandFailure) {
    if text.isEmpty {
      for column in known {
        if let target = Target(word: column), theirs[target] == nil { theirs[target] = column }
        if let name = OwnField.name(in: column) { own.append(Own(name: name, theirs: column)) }
      }
    }
    for part in text.split(separator: ",") {
      guard let mark = part.lastIndex(of: "="), mark > part.startIndex else {
        throw CommandFailure(.usage, "--map takes THEIRS=OURS,…, not \"\(part)\".")
      }
      let word = WordList.line(String(part[part.index(after: mark)...]))
      if let name = OwnField.name(in: word) {
        if let other = own.first(where: { Folding.folded($0.name) == Folding.folded(name) }) {
          throw CommandFailure(.usage, "--map names x.\(name) twice: \(other.theirs) and \(part[..<mark]).")
        }
        own.append(Own(name: name, theirs: Whitespace.trimmed(String(part[..<mark]))))
        continue
      }
      guard let target = Target(word: word) else {
        throw CommandFailure(
          .usage,
          "--map does not know our field in \"\(part)\"; it knows "
            + "\(Target.allCases.map(\.rawValue).joined(separator: ", ")), and x.NAME for a field of your own (letters, "
            + "digits, - and _, at most \(OwnField.mostNameBytes) bytes), such as x.customer.")
      }
      if let other = theirs[target] {
        throw CommandFailure(.usage, "--map names \(target.rawValue) twice: \(other) and \(part[..<mark]).")
      }
      theirs[target] = Whitespace.trimmed(String(part[..<mark]))
    }
    guard theirs[.path] != nil || theirs[.name] != nil else {
      throw CommandFailure(
        .usage, "No field says which file a row is about; map one to path or name, with --map THEIRS=path.")
    }
  }

  /// The changes that a row makes to its file.
  func change(_ row: FactRow) throws(WordsRefused) -> WordsChange {
    func texts(of field: String?) -> [String]? {
      guard let field, let found = row.texts[field] else { return nil }
      let said = found.filter { !WordList.line($0).isEmpty }
      return said.isEmpty ? nil : said
    }
    func texts(_ target: Target) -> [String]? { texts(of: theirs[target]) }
    func text(_ target: Target) -> String? { texts(target)?.joined(separator: ", ") }
    var change = WordsChange()
    if let list = texts(.tags) { change.addedTags = try words("tags", list) }
    if let list = texts(.people) { change.addedPeople = try words("people", list) }
    _ = try UserWord.value(tags: change.addedTags)
    if let title = text(.title) { change.values[.title] = try UserWord.value(title: title) }
    if let caption = text(.caption) { change.values[.caption] = try UserWord.value(caption: caption) }
    if let rating = text(.rating) {
      guard case .rating(let stars)? = FactValue(field: "rating", text: rating) else {
        throw WordsRefused(reason: "\"\(rating)\" is not a rating from 0 to 5.")
      }
      change.values[.rating] = try UserWord.value(rating: stars)
    }
    if let favourite = text(.favourite) {
      guard case .favourite(let flag)? = FactValue(field: "favourite", text: favourite) else {
        throw WordsRefused(reason: "\"\(favourite)\" is neither true nor false.")
      }
      change.values[.favourite] = Array((flag ? "1" : "0").utf8)
    }
    if let taken = text(.taken) { change.values[.taken] = try UserWord.value(taken: taken) }
    if let position = texts(.position)?.joined(separator: ",") {
      change.values[.position] = try UserWord.value(position: position)
    } else if let latitude = text(.latitude), let longitude = text(.longitude) {
      change.values[.position] = try UserWord.value(position: latitude + "," + longitude)
    }
    for mapped in own {
      guard let said = texts(of: mapped.theirs)?.joined(separator: ", "),
        let field = OwnField(name: mapped.name, text: WordList.line(said)),
        !change.fields.contains(where: { $0.key == field.key })
      else { continue }
      change.fields.append(field)
    }
    _ = try UserWord.value(fields: change.fields)
    if let stack = text(.stack) { change.values[.stack] = .some(try UserWord.value(stack: stack)) }
    return change
  }

  /// Tags or people. A single text may hold several; in a list, each text is one.
  private func words(_ field: String, _ texts: [String]) throws(WordsRefused) -> [String] {
    let value = texts.count == 1 ? FactValue(field: field, text: texts[0]) : FactValue(field: field, texts: texts)
    switch value {
    case .tags(let list), .people(let list): return WordList.unique(list.map(WordList.line))
    default: throw WordsRefused(reason: "\"\(texts.joined(separator: ", "))\" cannot be used as \(field).")
    }
  }
}
