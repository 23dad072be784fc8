import TestSupport
import Testing

@testable import Catalog

@Suite struct FoldingTests {
  @Test(arguments: [
    ("ÉIRE", "eire"), ("Straße", "strasse"), ("İstanbul", "istanbul"), ("Łódź", "lodz"), ("Ærø", "aero"),
    ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
    ("ＩＭＧ", "img"), ("ﬁn", "fin"), ("Ёлка", "елка"), ("שָׁלוֹם", "שלום"), ("مُحَمَّد", "محمد"),
    ("A\u{30A}ngstro\u{308}m", "angstrom"),
    ("ǅ", "dz"), ("", ""), ("1½", "1½"), ("🏖️", "🏖\u{FE0F}"),
  ])
  func folds(text: String, folded: String) {
    #expect(Folding.folded(text).unicodeScalars.elementsEqual(folded.unicodeScalars))
  }

  /// Swift compares strings by canonical equivalence, so it knows which scalar a letter with a mark is.
  @Test func lettersWithMarksFoldLikeTheirOneScalar() {
    var singles: [String: Unicode.Scalar] = [:]
    for value in UInt32(0x80)...0x2FA1F {
      if let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned {
        singles[String(scalar)] = scalar
      }
    }
    var count = 0
    let marks = (UInt32(0x300)...0x345).map { $0 } + [0x3099, 0x309A, 0x653, 0x654, 0x655, 0x93C, 0x5B4, 0x5BC, 0x5C1]
    for base in UInt32(0x41)...0x30FF {
      guard let base = Unicode.Scalar(base), base.properties.isAlphabetic else { continue }
      for mark in marks.compactMap(Unicode.Scalar.init) {
        let pair = String(base) + String(mark)
        guard pair.unicodeScalars.count == 2, let single = singles[pair], String(single) == pair else { continue }
        count += 1
        #expect(Folding.fold(String(single)) == Folding.fold(pair), "\(pair)")
      }
    }
    #expect(count > 900)
  }

  /// Ideographs that were encoded twice are canonically equivalent to the usual one.
  @Test func equivalentScalarsFoldAlike() {
    var seen: [String: Unicode.Scalar] = [:]
    var count = 0
    for value in UInt32(0x80)...0x2FA1F {
      guard let scalar = Unicode.Scalar(value), scalar.properties.isAlphabetic else { continue }
      if let other = seen[String(scalar)] {
        count += 1
        #expect(Folding.fold(String(scalar)) == Folding.fold(String(other)), "\(String(value, radix: 16))")
      } else {
        seen[String(scalar)] = scalar
      }
    }
    #expect(count > 900)
  }

  @Test func syllablesFoldLikeTheirLetters() {
    for value in stride(from: UInt32(0xAC00), through: 0xD7A3, by: 7) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let folded = Folding.fold(String(scalar))
      var view = String.UnicodeScalarView()
      view.append(contentsOf: folded)
      #expect(String(view) == String(scalar))
      #expect(folded.count > 1)
    }
  }

  @Test func foldingTwiceAndCaseChangeNothing() {
    for value in UInt32(0)...0x2FA1F {
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned else { continue }
      let folded = Folding.folded(String(scalar))
      #expect(Folding.fold(folded) == Array(folded.unicodeScalars), "\(String(value, radix: 16))")
      if value < 0x530 || (0x1E00...0x1FFF).contains(value) {
        let upper = scalar.properties.uppercaseMapping
        // "ŉ" and letters with an iota become two letters; the iota alone is a mark.
        if upper.unicodeScalars.count == 1 {
          #expect(Folding.folded(upper) == folded || value == 0x345, "\(String(value, radix: 16))")
        }
      }
    }
  }

  @Test(arguments: TestLength.seedArguments(20)) func anyOrderOfMarksIsTheSame(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    // Marks of different classes that stay.
    let marks: [Unicode.Scalar] = ["\u{3099}", "\u{93C}", "\u{94D}", "\u{5B0}", "\u{327}", "\u{E38}", "\u{E48}"]
    for _ in 0..<100 {
      let chosen = marks.shuffled(using: &numbers).prefix(3)
      func text(_ marks: [Unicode.Scalar]) -> String {
        var view = "か".unicodeScalars
        view.append(contentsOf: marks)
        return String(view)
      }
      let one = text(Array(chosen))
      let other = text(chosen.shuffled(using: &numbers))
      if one == other { #expect(Folding.fold(one) == Folding.fold(other)) }
    }
  }
}

@Suite struct WordTests {
  @Test(arguments: [
    ("IMG_1234.jpg", ["img", "1234", "jpg"]), ("Île-de-France", ["ile", "de", "france"]), ("don't", ["don", "t"]),
    ("東京タワー", ["東", "京", "タ", "ワ", "ー"]), ("がっこう", ["か\u{3099}", "っ", "こ", "う"]), ("東京tower", ["東", "京", "tower"]),
    ("tower東京", ["tower", "東", "京"]),
    ("서울 역", ["\u{1109}\u{1165}\u{110B}\u{116E}\u{11AF}", "\u{110B}\u{1167}\u{11A8}"]),
    ("हिन्दी भाषा", ["हिन्दी", "भाषा"]), ("  ", []), ("🏖️ beach!", ["beach"]), ("\u{301}a", ["a"]), ("x\u{0}y", ["x", "y"]),
  ])
  func splits(text: String, words: [String]) {
    #expect(WordSplitter.words(of: text).map { Array($0.unicodeScalars) } == words.map { Array($0.unicodeScalars) })
  }

  @Test func aWordEndsSomewhere() {
    let words = WordSplitter.words(of: String(repeating: "a", count: 1_000_000) + " b")
    #expect(words.map(\.unicodeScalars.count) == [WordSplitter.mostScalars, 1])
  }

  /// What FTS5 would do with `FullText`, by the rules of its `ascii` tokenizer and of its phrases, agrees with the
  /// patterns.
  @Test(arguments: TestLength.seedArguments(40)) func theFullTextIndexAgrees(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    let pieces = [
      "Paris", "paris", "ÎLE", "de", "IMG_1", "東京", "東", "tower", "tow", " ", " ", "-", "é", "e\u{301}", "\u{E000}",
      "\"",
    ]
    func text() -> String {
      (0..<Int.random(in: 0...6, using: &numbers)).map { _ in pieces.randomElement(using: &numbers) ?? "" }.joined()
    }
    for _ in 0..<200 {
      let texts = (0..<3).map { _ in text() }
      // Words that stand side by side, also of two texts.
      let words = texts.flatMap { WordSplitter.words(of: $0) }
      let start = Int.random(in: 0...words.count, using: &numbers)
      let wanted = numbers.chance(1, of: 2) ? text() : words[start...].prefix(2).joined(separator: " ")
      guard let pattern = WordPattern(wanted, isPrefix: numbers.chance(1, of: 2)) else { continue }
      let rows = Self.tokens(FullText.document(texts))
      let expression = pattern.fullTextExpression
      let quoted = try #require(expression.split(separator: "\"").first)
      #expect(expression.count { $0 == "\"" } == 2)
      let phrase = Self.tokens(String(quoted))
      let isPrefix = expression.hasSuffix("*")
      let found =
        !rows.isEmpty
        && rows.indices.contains { start in
          start + phrase.count <= rows.count
            && phrase.indices.allSatisfy { index in
              isPrefix && index == phrase.count - 1
                ? rows[start + index].starts(with: phrase[index]) : rows[start + index] == phrase[index]
            }
        }
      #expect(found == texts.contains(where: pattern.matches), "\(texts) \(pattern)")
    }
  }

  private static func tokens(_ text: String) -> [[UInt8]] {
    text.utf8.split { $0 < 0x80 && !(0x30...0x39).contains($0) && !(0x61...0x7A).contains($0) }.map(Array.init)
  }
}

@Suite struct GlobTests {
  /// The textbook definition, which may take for ever.
  private static func matches(_ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    if first == "*" {
      return matches(pattern.dropFirst(), text) || !text.isEmpty && matches(pattern, text.dropFirst())
    }
    return text.first == first && matches(pattern.dropFirst(), text.dropFirst())
  }

  @Test(arguments: TestLength.seedArguments(30)) func agreesWithTheDefinition(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    for _ in 0..<500 {
      let pattern = (0..<Int.random(in: 0...6, using: &numbers)).map { _ in "ab**".randomElement(using: &numbers) ?? "a"
      }
      let text = (0..<Int.random(in: 0...8, using: &numbers)).map { _ in "ab".randomElement(using: &numbers) ?? "a" }
      let parts = pattern.split(separator: "*", omittingEmptySubsequences: false).map { String($0) }
      #expect(Glob(parts: parts).matches(String(text)) == Self.matches(pattern[...], text[...]), "\(pattern) \(text)")
    }
  }

  @Test func manyStarsTakeNoTime() {
    let glob = Glob(parts: Array(repeating: "a", count: 1000) + ["b"])
    #expect(!glob.matches(String(repeating: "a", count: 20_000)))
  }
}
