// Invariants
// 1. A written value is read back with the same meaning, or refused: nothing is cut.

package import Catalog

/// A list of tags or people, in the form of an attribute.
package enum WordList {
  /// The tags of a value.
  package static func tags(_ value: [UInt8]) -> [String] { parts(value, at: ",") }

  /// The people of a value.
  package static func people(_ value: [UInt8]) -> [String] { parts(value, at: "\n") }

  private static func parts(_ value: [UInt8], at mark: Character) -> [String] {
    unique(String(decoding: value, as: UTF8.self).split(separator: mark).map { line(String($0)) })
  }

  /// Each word once, ignoring case, without empty words.
  package static func unique(_ words: [String]) -> [String] {
    var seen = Set<String>()
    return words.filter { !$0.isEmpty && seen.insert(Folding.folded($0)).inserted }
  }

  /// The words that are not in the other list, ignoring case.
  package static func without(_ words: [String], _ others: [String]) -> [String] {
    let others = Set(others.map { Folding.folded($0) })
    return words.filter { !others.contains(Folding.folded($0)) }
  }

  /// The tags without those that have one of the names, ignoring case. In a name, a slash that belongs to a tag may
  /// lack its backslash, as in queries and in values from before there were backslashes.
  package static func without(_ tags: [String], called names: [String]) -> [String] {
    let names = Set(names.map { Folding.folded($0) })
    return tags.filter {
      !names.contains(Folding.folded($0)) && !names.contains(Folding.folded(TagLevels.plain($0)))
    }
  }

  /// A text on one line: control characters become spaces, and spaces at the ends are removed.
  package static func line(_ text: String) -> String {
    var view = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { view.append(scalar.properties.generalCategory == .control ? " " : scalar) }
    return Whitespace.trimmed(String(view))
  }
}

/// Why words about a file are refused, as one sentence.
package struct WordsRefused: Error, Equatable {
  package var reason: String

  /// A refusal with its sentence.
  package init(reason: String) { self.reason = reason }
}

extension UserWord {
  /// The value for tags. Throws if a tag contains a comma, or if there are too many or too long ones.
  package static func value(tags: [String]) throws(WordsRefused) -> [UInt8] {
    if let tag = tags.first(where: { $0.contains(",") }) {
      throw WordsRefused(reason: "A tag cannot contain a comma: \"\(tag)\".")
    }
    return try list(tags, mark: ",", "tags")
  }

  /// The value for people. Throws if there are too many or too long ones.
  package static func value(people: [String]) throws(WordsRefused) -> [UInt8] { try list(people, mark: "\n", "people") }

  private static func list(_ words: [String], mark: String, _ name: String) throws(WordsRefused) -> [UInt8] {
    let bytes = words.reduce(0) { $0 + $1.utf8.count }
    guard words.count <= FactValue.mostTags, bytes <= FactValue.mostTagBytes else {
      throw WordsRefused(
        reason: "A photo has at most \(FactValue.mostTags) \(name), of \(FactValue.mostTagBytes) bytes together; "
          + "these are \(words.count), of \(bytes) bytes.")
    }
    return Array(words.joined(separator: mark).utf8)
  }

  /// The value for user-defined fields. Throws if there are too many or too long ones.
  package static func value(fields: [OwnField]) throws(WordsRefused) -> [UInt8] {
    let value = OwnField.value(fields)
    guard fields.count <= OwnField.mostCount, value.count <= OwnField.mostBytes else {
      throw WordsRefused(
        reason: "A photo has at most \(OwnField.mostCount) fields of your own, of \(OwnField.mostBytes) bytes together "
          + "with their names; these are \(fields.count), of \(value.count) bytes.")
    }
    return value
  }

  /// The value for a title. Throws if it is too long.
  package static func value(title: String) throws(WordsRefused) -> [UInt8] {
    try text(WordList.line(title), "title", most: FactValue.mostTitleBytes)
  }

  /// The value for a caption, which may have several lines. Throws if it is too long.
  package static func value(caption: String) throws(WordsRefused) -> [UInt8] {
    let lines = caption.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let whole = lines.map { WordList.line(String($0)) }.joined(separator: "\n")
    return try text(Whitespace.trimmed(whole), "caption", most: FactValue.mostCaptionBytes)
  }

  private static func text(_ text: String, _ name: String, most: Int) throws(WordsRefused) -> [UInt8] {
    guard text.utf8.count <= most else {
      throw WordsRefused(reason: "A \(name) has at most \(most) bytes; this one has \(text.utf8.count).")
    }
    return Array(text.utf8)
  }

  /// The value for stars from 0 to 5. Throws for other numbers.
  package static func value(rating: Int) throws(WordsRefused) -> [UInt8] {
    guard (0...5).contains(rating) else { throw WordsRefused(reason: "A rating must be from 0 to 5, not \(rating).") }
    return Array("\(rating * 2)".utf8)
  }

  /// The value for a time as users write it. Throws if the text is not a time.
  package static func value(taken text: String) throws(WordsRefused) -> [UInt8] {
    guard case .time(let time)? = FactValue(field: "taken", text: text) else {
      throw WordsRefused(
        reason: "\"\(text)\" is not a time; write it like 2019-08-15T12:34:56+02:00, 2019-08-15 or 1961.")
    }
    return value(time)
  }

  private static func value(_ time: TimeCandidate.Value) -> [UInt8] {
    switch time {
    case .wall(let wall, nil): Array(wall.description.utf8)
    case .wall(let wall, let offset?): Array((wall.description + Self.zone(Int(offset))).utf8)
    case .universal(let time): Array((time.description + "+00:00").utf8)
    }
  }

  /// The value for the time in an answer of the catalog, shifted. A zone that a source states is kept. A zone that the
  /// place gave is left out, because the place knows the summer time of the new day; so is a zone that only the home
  /// zone gave. Nil if the time is less exact than the shift.
  package static func value(takenOf facts: JSONValue, shiftedBy shift: TimeShift) -> [UInt8]? {
    guard let text = facts["taken"]?.text, facts["takenSource"]?.text != "modified",
      case .time(.wall(let wall, let offset))? = FactValue(field: "taken", text: text), let moved = shift.moved(wall)
    else { return nil }
    let isSaid = !["gazetteer", "home"].contains(facts["zoneSource"]?.text)
    return value(.wall(moved, offset: isSaid ? offset : nil))
  }

  private static func zone(_ offset: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let seconds = abs(offset)
    let start = (offset < 0 ? "-" : "+") + two(seconds / 3600) + ":" + two(seconds / 60 % 60)
    return seconds % 60 == 0 ? start : start + ":" + two(seconds % 60)
  }

  /// The value for a position as users write it; `none` removes the position. Throws for other texts.
  package static func value(position text: String) throws(WordsRefused) -> [UInt8] {
    if WordList.line(text).lowercased() == "none" { return Array("none".utf8) }
    guard case .position(let position)? = FactValue(field: "position", text: text) else {
      throw WordsRefused(reason: "\"\(text)\" is not a position; write it like 48.85,2.35, or write none.")
    }
    return Array("\(degrees(position.latitude)),\(degrees(position.longitude))".utf8)
  }

  /// Degrees without an exponent.
  private static func degrees(_ value: Double) -> String {
    let units = Int((value * 1e7).rounded())
    let digits = String(units.magnitude)
    let padded = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    var text = String(padded.dropLast(7)) + "." + padded.suffix(7)
    while text.hasSuffix("0"), !text.hasSuffix(".0") { text.removeLast() }
    return (units < 0 ? "-" : "") + text
  }

  /// The value that puts files of one directory into one stack, or takes a file out of all; nil leaves it to the
  /// catalog. Throws if the word is empty or too long.
  package static func value(stack text: String) throws(WordsRefused) -> [UInt8]? {
    let word = WordList.line(text)
    guard !word.isEmpty, word.utf8.count <= FactValue.mostWordBytes else {
      throw WordsRefused(
        reason: "The value of a stack must be a word of 1 to \(FactValue.mostWordBytes) bytes, apart, or none.")
    }
    return word.lowercased() == "none" ? nil : Array(word.utf8)
  }
}
