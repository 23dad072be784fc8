/// Why a query cannot be parsed, and where.
package struct QueryError: Error, Hashable, Sendable {
  /// What is wrong and what to write instead, without a period.
  package let message: String
  /// The bytes of the query that are wrong; empty at a place where something is missing.
  package let range: Range<Int>

  /// Takes both.
  package init(_ message: String, at range: Range<Int>) {
    self.message = message
    self.range = range
  }

  /// Characters of the query that are shown before, at and after the error, at most each.
  static let mostShown = 40

  /// The message, and the place in the query with a mark below it, in three lines.
  package func pointing(in query: some Collection<UInt8>) -> String {
    let bytes = Array(query)
    let low = min(max(range.lowerBound, 0), bytes.count)
    let high = min(max(range.upperBound, low), bytes.count)
    let before = Self.shown(bytes[..<low]).suffix(Self.mostShown)
    let wrong = Self.shown(bytes[low..<high]).prefix(Self.mostShown)
    let after = Self.shown(bytes[high...]).prefix(Self.mostShown)
    let mark =
      String(repeating: " ", count: before.count) + String(repeating: "^", count: max(1, wrong.count))
    return message + "\n  " + before + wrong + after + "\n  " + mark
  }

  /// The text with one column for each character, so that the mark is below its place.
  private static func shown(_ bytes: ArraySlice<UInt8>) -> [Character].SubSequence {
    // A character has at most some dozens of bytes; a query may have a megabyte.
    let part = bytes.count > 8192 ? Array(bytes.prefix(4096) + bytes.suffix(4096)) : Array(bytes)
    return printable(String(decoding: part, as: UTF8.self)).map { $0 }[...]
  }

  /// Replaces characters by spaces that would move the cursor of a terminal or change its direction of text.
  static func printable(_ text: String) -> String {
    var view = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: view.append(" ")
      default: view.append(scalar)
      }
    }
    return String(view)
  }
}

private func + (text: String, characters: ArraySlice<Character>) -> String { text + String(characters) }
