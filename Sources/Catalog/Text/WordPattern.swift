// Invariants
// 1. `words` is not empty.

/// Words in sequence; the last may be only the beginning of a word.
package struct WordPattern: Hashable, Sendable {
  package let words: [String]
  /// Whether the last word may be a prefix of the text's word.
  package let isPrefix: Bool

  /// Nil if the text does not contain a word.
  package init?(_ text: String, isPrefix: Bool) {
    words = WordSplitter.words(of: text)
    self.isPrefix = isPrefix
    if words.isEmpty { return nil }
  }

  /// Whether the words of a text contain this sequence.
  package func matches(words text: [String]) -> Bool {
    guard text.count >= words.count else { return false }
    return (0...(text.count - words.count)).contains { start in
      words.indices.allSatisfy { index in
        let (word, wanted) = (text[start + index].unicodeScalars, words[index].unicodeScalars)
        return isPrefix && index == words.count - 1 ? word.starts(with: wanted) : word.elementsEqual(wanted)
      }
    }
  }

  /// Whether a text contains this sequence.
  package func matches(_ text: String) -> Bool { matches(words: WordSplitter.words(of: text)) }

  /// The FTS5 expression that finds the same rows among texts made by ``FullText``.
  package var fullTextExpression: String {
    "\"" + words.joined(separator: " ") + "\"" + (isPrefix ? "*" : "")
  }
}

/// The texts that a full-text index stores. Folding and splitting are already done, so its tokenizer is FTS5's
/// `ascii`, for which every character outside ASCII is part of a word.
package enum FullText {
  /// Separates two texts, so that no sequence of words spans both. Queries cannot contain it, because it is not a
  /// letter.
  package static let separator = "\u{E000}"

  /// The words of several texts.
  package static func document(_ texts: [String]) -> String {
    texts.map { WordSplitter.words(of: $0).joined(separator: " ") }.filter { !$0.isEmpty }
      .joined(separator: " " + separator + " ")
  }
}
