/// Characters of a query with their byte ranges, after quotes and escapes were removed.
struct QueryText: Sendable {
  struct Element: Hashable, Sendable {
    var scalar: Unicode.Scalar
    /// The bytes of the query that it came from.
    var range: Range<Int>
    /// Whether it was quoted, and so lacks a special meaning.
    var isQuoted: Bool
  }

  var elements: ArraySlice<Element>
  /// All bytes of the query that it came from, including quotes.
  var range: Range<Int>

  var isEmpty: Bool { elements.isEmpty }
  var text: String { Self.text(of: elements) }
  /// The text in lower case and folded, to compare with keywords.
  var lowered: String { Folding.folded(text) }
  var hasQuotes: Bool { elements.contains { $0.isQuoted } }

  static func text(of elements: some Sequence<Element>) -> String {
    String(String.UnicodeScalarView(elements.lazy.map(\.scalar)))
  }

  private static func isStar(_ element: Element) -> Bool { !element.isQuoted && element.scalar == "*" }

  /// The parts between the stars.
  var parts: [String] {
    elements.split(omittingEmptySubsequences: false, whereSeparator: Self.isStar).map(Self.text)
  }

  var stars: [Range<Int>] { elements.filter(Self.isStar).map(\.range) }

  /// Whether its only star is at the end.
  var isPrefix: Bool { stars.count == 1 && elements.last.map(Self.isStar) ?? false }

  /// Whether it begins with these characters outside of quotes, in any case.
  func starts(with word: String) -> Bool {
    let scalars = word.unicodeScalars
    guard elements.count >= scalars.count else { return false }
    return zip(elements, scalars).allSatisfy { element, scalar in
      !element.isQuoted && Folding.fold(String(element.scalar)) == [scalar]
    }
  }

  /// Whether it ends with these characters, in any case.
  func ends(with word: String) -> Bool { suffix(word.unicodeScalars.count).lowered == word }

  func dropFirst(_ count: Int) -> QueryText { part(elements.dropFirst(count)) }
  func dropLast(_ count: Int) -> QueryText { part(elements.dropLast(count)) }
  func prefix(_ count: Int) -> QueryText { part(elements.prefix(count)) }
  func suffix(_ count: Int) -> QueryText { part(elements.suffix(count)) }

  /// A part; its range is that of its characters, or the place where they would be.
  func part(_ slice: ArraySlice<Element>) -> QueryText {
    let start = slice.first?.range.lowerBound
    let end = slice.last?.range.upperBound
    if let start, let end { return QueryText(elements: slice, range: start..<end) }
    let before = elements[..<slice.startIndex].last?.range.upperBound ?? range.lowerBound
    return QueryText(elements: slice, range: before..<before)
  }

  /// The parts between unquoted separators, including empty ones.
  func split(_ separator: Unicode.Scalar) -> [QueryText] {
    elements.split(omittingEmptySubsequences: false) { !$0.isQuoted && $0.scalar == separator }.map(part)
  }

  /// The texts before and after the first two unquoted dots.
  var rangeDots: (before: QueryText, after: QueryText)? {
    func isDot(_ index: Int) -> Bool { !elements[index].isQuoted && elements[index].scalar == "." }
    guard elements.count >= 2,
      let first = (elements.startIndex..<(elements.endIndex - 1)).first(where: { isDot($0) && isDot($0 + 1) })
    else { return nil }
    return (part(elements[..<first]), part(elements[(first + 2)...]))
  }
}
