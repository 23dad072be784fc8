import Testing

@testable import Catalog

/// The article on the query language is the specification, so its examples are the first tests.
@Suite struct ArticleTests {
  static let today = CivilDate(year: 2024, month: 8, day: 16)

  /// The lines of all blocks of a kind, split at the arrow.
  static func lines(_ kind: String) throws -> [(query: String, answer: String)] {
    let article = String(
      decoding: try #require(hostFile(packagePath("Sources/Catalog/Catalog.docc/QueryLanguage.md"))), as: UTF8.self)
    var lines: [(query: String, answer: String)] = []
    var isInside = false
    for line in article.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside = line == "```" + kind
      } else if isInside {
        let halves = String(line).split(separator: " → ", maxSplits: 1)
        try #require(halves.count == 2, "\(line)")
        lines.append((String(halves[0]), String(halves[1])))
      }
    }
    return lines
  }

  @Test func everyExampleAnswersAsTheArticleSays() throws {
    let examples = try Self.lines("example")
    #expect(examples.count > 120)
    for (text, answer) in examples {
      let expected = answer.prefix { $0 != ":" }.split(separator: " ").joined(separator: " ")
      let query = try QueryParser.parse(text, today: Self.today)
      let found = Library.items.filter(query.answers).map(Library.letter).joined(separator: " ")
      #expect(found == expected, "\(text)")
    }
  }

  @Test func everyErrorPointsAtWhatTheArticleSays() throws {
    let errors = try Self.lines("error")
    #expect(errors.count > 25)
    for (text, answer) in errors {
      let close = try #require(answer.range(of: "] "))
      let marked = String(answer[answer.index(after: answer.startIndex)..<close.lowerBound])
      let message = String(answer[close.upperBound...])
      do {
        _ = try QueryParser.parse(text)
        Issue.record("\(text) is understood")
      } catch {
        let bytes = Array(text.utf8)
        #expect(error.message == message, "\(text)")
        #expect(String(decoding: bytes[error.range], as: UTF8.self) == marked, "\(text)")
        #expect(error.pointing(in: bytes).split(separator: "\n").count == 3)
      }
    }
  }

  /// Every field, flag and fact has an example.
  @Test func nothingIsLeftOut() throws {
    let examples = try Self.lines("example").map(\.query).joined(separator: " ")
    let negatives = ["(", ")", "-", "|"].reduce(examples) { text, mark in
      text.split(separator: mark).joined(separator: " ")
    }
    let words = Set(negatives.split(separator: " ").map(String.init))
    for field in QueryField.allCases { #expect(words.contains { $0.hasPrefix(field.rawValue + ":") }, "\(field)") }
    for synonym in ["people", "description", "stars", "mp"] {
      #expect(QueryField(word: synonym) != nil)
    }
    for flag in Query.Flag.allCases { #expect(words.contains("is:" + flag.rawValue), "\(flag)") }
    for presence in Query.Presence.allCases { #expect(words.contains("has:" + presence.rawValue), "\(presence)") }
  }
}

extension String {
  /// The first place of another text.
  func range(of other: String) -> Range<String.Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(other) { return start..<index(start, offsetBy: other.count) }
      start = index(after: start)
    }
    return nil
  }
}
