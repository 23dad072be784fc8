/// A folded pattern for a whole text. Every `*` stands for any characters.
package struct Glob: Hashable, Sendable {
  /// The parts between the stars; a pattern without stars has one part.
  package let parts: [[Unicode.Scalar]]

  /// Takes the parts between the stars.
  package init(parts: [String]) { self.parts = parts.map(Folding.fold) }

  /// Whether the pattern is without stars.
  package var isPlain: Bool { parts.count == 1 }

  /// Whether the whole text matches.
  package func matches(_ text: String) -> Bool { matches(Folding.fold(text)[...]) }

  /// Whether a whole folded text matches. The time is at most proportional to its length times that of the pattern.
  package func matches(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let first = parts.first, let last = parts.last else { return text.isEmpty }
    if isPlain { return text.elementsEqual(first) }
    guard text.count >= first.count + last.count, text.starts(with: first), text.suffix(last.count).elementsEqual(last)
    else { return false }
    var rest = text.dropFirst(first.count).dropLast(last.count)
    // The first possible place of each part leaves the most text for those after it.
    for part in parts[1..<(parts.count - 1)] {
      guard let end = Self.end(of: part, in: rest) else { return false }
      rest = rest[end...]
    }
    return true
  }

  private static func end(of part: [Unicode.Scalar], in text: ArraySlice<Unicode.Scalar>) -> Int? {
    guard text.count >= part.count else { return nil }
    for start in text.startIndex...(text.endIndex - part.count)
    where text[start..<(start + part.count)].elementsEqual(part) {
      return start + part.count
    }
    return nil
  }
}
