/// Parses queries. <doc:QueryLanguage> describes the language.
///
///     query        = { alternatives }
///     alternatives = negatable { "|" negatable }
///     negatable    = "-" negatable | "(" query ")" | field ":" value { "|" value } | text
package struct QueryParser {
  /// Longest query in bytes.
  package static let mostBytes = 65_536
  /// The deepest nesting of parentheses and minus signs.
  package static let mostDepth = 64
  /// Most conditions.
  package static let mostConditions = 1000

  var scanner: QueryScanner
  /// The day on which the query is asked.
  let today: CivilDate?
  var depth = 0
  var conditions = 0

  /// Parses a query. `today` is the day for the words "today" and "yesterday"; without it they are an error.
  package static func parse(_ bytes: some Collection<UInt8>, today: CivilDate? = nil) throws(QueryError) -> Query {
    guard bytes.count <= mostBytes else {
      throw QueryError("A query has at most \(mostBytes) bytes", at: mostBytes..<bytes.count)
    }
    var parser = QueryParser(scanner: try QueryScanner(Array(bytes)), today: today)
    let query = try parser.sequence()
    if !parser.scanner.isAtEnd {
      throw QueryError("This parenthesis closes nothing", at: parser.scanner.offset..<parser.scanner.offset + 1)
    }
    return query
  }

  /// Parses a query.
  package static func parse(_ text: String, today: CivilDate? = nil) throws(QueryError) -> Query {
    try parse(Array(text.utf8), today: today)
  }

  /// Everything up to the end or a closing parenthesis.
  mutating func sequence() throws(QueryError) -> Query {
    var parts: [Query] = []
    while true {
      scanner.skipSpace()
      guard let next = scanner.next, next != ")" else { break }
      parts.append(try alternatives())
    }
    return parts.count == 1 ? parts[0] : parts.isEmpty ? .all : .and(parts)
  }

  private mutating func alternatives() throws(QueryError) -> Query {
    if scanner.next == "|" {
      throw QueryError("There is nothing before this bar", at: scanner.offset..<scanner.offset + 1)
    }
    var parts = [try negatable()]
    while true {
      var ahead = scanner
      ahead.skipSpace()
      let bar = ahead.offset
      guard ahead.take("|") else { break }
      ahead.skipSpace()
      guard let next = ahead.next, next != ")", next != "|" else {
        throw QueryError("There is nothing after this bar", at: bar..<bar + 1)
      }
      scanner = ahead
      parts.append(try negatable())
    }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func negatable() throws(QueryError) -> Query {
    let start = scanner.offset
    guard scanner.next == "-" || scanner.next == "(" else { return try fieldOrText() }
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.mostDepth else {
      throw QueryError("More than \(Self.mostDepth) levels of parentheses and minus signs", at: start..<start + 1)
    }
    if scanner.take("-") {
      guard let next = scanner.next, !QueryScanner.isSpace(next), next != ")", next != "|" else {
        throw QueryError("A minus needs something right after it", at: start..<start + 1)
      }
      return .not(try negatable())
    }
    _ = scanner.take("(")
    let inner = try sequence()
    guard scanner.take(")") else { throw QueryError("This parenthesis is not closed", at: start..<start + 1) }
    if inner == .all { throw QueryError("There is nothing in these parentheses", at: start..<scanner.offset) }
    if let next = scanner.next, !QueryScanner.isSpace(next), next != ")", next != "|" {
      throw QueryError("A parenthesis needs a space after it", at: scanner.offset - 1..<scanner.offset)
    }
    return inner
  }

  private mutating func fieldOrText() throws(QueryError) -> Query {
    guard let word = scanner.wordBeforeColon() else {
      let text = try scanner.text()
      try count(at: text.range)
      try rejectMissingColon(in: text)
      return .condition(.words(try words(text)))
    }
    let range = scanner.skipField(word)
    let (field, own) = (QueryField(word: word), OwnField.name(in: word))
    guard let name = Self.name(ofField: word) else { throw unknown(word, at: range) }
    var parts: [Query] = []
    repeat {
      let value = try scanner.text()
      try count(at: value.range)
      guard !value.isEmpty else {
        throw QueryError("A value is missing after \(name):", at: value.range)
      }
      if let field { parts.append(try condition(field, value)) }
      if let own { parts.append(try condition(own: own, value)) }
    } while takeBarOfValues()
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  /// The name of the field that a word means; nil if it is not a field.
  private static func name(ofField word: String) -> String? {
    QueryField(word: word)?.rawValue ?? OwnField.name(in: word).map { "x." + $0 }
  }

  /// Rejects a field and a comparison without a colon between them, which would otherwise be searched as words.
  private func rejectMissingColon(in text: QueryText) throws(QueryError) {
    let word = text.elements.prefix { !["=", "<", ">"].contains($0.scalar) }
    guard word.endIndex < text.elements.endIndex, !text.part(text.elements[...word.endIndex]).hasQuotes,
      let field = Self.name(ofField: QueryText.text(of: word))
    else { return }
    throw QueryError(
      "A colon is missing after \(field); put the text in quotes if it is one", at: text.part(word).range)
  }

  private func unknown(_ word: String, at range: Range<Int>) -> QueryError {
    // By scalars: a single character may be as long as the query.
    let isLong = word.unicodeScalars.count > 40
    let shown = QueryError.printable(String(word.unicodeScalars.prefix(40))) + (isLong ? "…" : "")
    guard !word.isEmpty else { return QueryError("The name of a field is missing before the colon", at: range) }
    if OwnField.begins(word) {
      return QueryError("After x. write a name of letters, digits, - and _, such as x.customer", at: range)
    }
    if let suggestion = QueryField.suggestion(for: word) {
      return QueryError("There is no field \(shown): did you mean \(suggestion.rawValue)", at: range)
    }
    return QueryError("There is no field \(shown); put text with a colon in quotes", at: range)
  }

  /// Skips a bar between two values of a field, which must not have a space next to it. If a field or a parenthesis
  /// follows, even with a minus, the bar begins a new alternative instead.
  private mutating func takeBarOfValues() -> Bool {
    guard scanner.next == "|", let after = scanner.scalar(ahead: 1), !QueryScanner.isBoundary(after) else {
      return false
    }
    if let word = scanner.wordBeforeColon(ahead: after == "-" ? 2 : 1), Self.name(ofField: word) != nil {
      return false
    }
    if after == "-", scanner.scalar(ahead: 2) == "(" { return false }
    return scanner.take("|")
  }

  private mutating func count(at range: Range<Int>) throws(QueryError) {
    conditions += 1
    if conditions > Self.mostConditions {
      throw QueryError("A query has at most \(Self.mostConditions) conditions", at: range)
    }
  }
}
