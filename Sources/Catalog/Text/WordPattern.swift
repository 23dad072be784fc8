// Invariants
// 1. `words` is not empty.

/// Words that must follow each other; the last may be only the beginning of a word.
package struct WordPattern: Hashable, Sendable {
  package let words: [String]
  /// Whether the last word goes on as it likes.
  package let isPrefix: Bool

  /// Nil if the text has no word.
  package init?(_ text: String, isPrefix: Bool) {
    words = WordSplitter.words(of: text)
    self.isPrefix = isPrefix
    if words.isEmpty { return nil }
  }

  /// Whether the words of a text contain these.
  package func matches(words text: [String]) -> Bool {
    guard text.count >= words.count else { return false }
    return (0...(text.count - words.count)).contains { start in
      words.indices.allSatisfy { index in
        let (word, wanted) = (text[start + index].unicodeScalars, words[index].unicodeScalars)
        return isPrefix && index == words.count - 1 ? word.starts(with: wanted) : word.elementsEqual(wanted)
      }
    }
  }

  /// Whether a text contains these words.
  package func matches(_ text: String) -> Bool { matches(words: WordSplitter.words(of: text)) }

  /// The expression for FTS5 that finds the same rows among texts that ``FullText`` made.
  package var fullTextExpression: String {
    "\"" + words.joined(separator: " ") + "\"" + (isPrefix ? "*" : "")
  }
}

/// What a full-text index stores. Its tokenizer has nothing to fold and nothing to decide: FTS5's `ascii`, to which
/// every character outside ASCII is part of a word.
package enum FullText {
  /// Stands between two texts, so that no sequence of words goes across. No query has it, since it is no letter.
  package static let separator = "\u{E000}"

  /// The words of several texts.
  package static func document(_ texts: [String]) -> String {
    texts.map { WordSplitter.words(of: $0).joined(separator: " ") }.filter { !$0.isEmpty }
      .joined(separator: " " + separator + " ")
  }
}
