/// A field of a query: the word before the colon.
package enum QueryField: String, Sendable, CaseIterable {
  case name, title, caption, person, camera, lens, place
  case tag, album, region, country, codec
  case type, `is`, has, hash
  case date, before, after
  case near
  case rating, size, width, height, megapixels, duration, iso, aperture, exposure, focal, altitude, fps

  /// Other words for the same fields.
  package static let synonyms: [String: QueryField] = [
    "tags": .tag, "people": .person, "folder": .album, "kind": .type, "taken": .date, "stars": .rating,
    "mp": .megapixels, "length": .duration, "description": .caption,
  ]

  /// The field that a word names, in any case.
  package init?(word: String) {
    let word = Folding.folded(word)
    guard let field = QueryField(rawValue: word) ?? Self.synonyms[word] else { return nil }
    self = field
  }

  /// The field that a misspelt word may mean.
  static func suggestion(for word: String) -> QueryField? {
    let folded = Array(Folding.fold(word).prefix(24))
    let best = allCases.map { ($0, EditDistance.between(folded, Array($0.rawValue.unicodeScalars))) }
      .min { $0.1 < $1.1 }
    return best.flatMap { $0.1 <= 1 || $0.1 == 2 && folded.count > 3 ? $0.0 : nil }
  }
}

/// Counts the letters in which words differ.
enum EditDistance {
  /// The number of insertions, deletions, replacements and exchanges of neighbours that turn one word into the other.
  static func between(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    var rows = [Array(0...other.count)]
    for (index, scalar) in one.enumerated() {
      var row = [index + 1]
      for (column, wanted) in other.enumerated() {
        var cost = min(rows[index][column + 1] + 1, row[column] + 1, rows[index][column] + (scalar == wanted ? 0 : 1))
        if index > 0, column > 0, scalar == other[column - 1], one[index - 1] == wanted {
          cost = min(cost, rows[index - 1][column - 1] + 1)
        }
        row.append(cost)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
