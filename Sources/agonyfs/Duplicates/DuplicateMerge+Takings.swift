// Invariants
// 1. The facts that the kept file states itself stay as they are, even if a sidecar is added to it.

internal import Catalog
internal import Client
internal import SystemPackage

/// The facts that a kept file takes over from the others before they are removed.
struct DuplicateTakings {
  /// Words that only the others have.
  var words: [UserWord: [UInt8]?] = [:]
  var change = WordsChange()
  /// Attributes of the kept file to change.
  var changes: [UserWord: [UInt8]?] = [:]
  var sidecars: [DuplicateSidecar] = []

  /// A summary for the user; empty if nothing is taken over.
  func shown(_ show: ([UInt8]) -> String) -> String {
    func text(_ value: [UInt8]) -> String { TerminalText.safe(value) }
    var parts: [String] = []
    if !change.addedTags.isEmpty { parts.append("tags " + text(Array(change.addedTags.joined(separator: ", ").utf8))) }
    if !change.addedPeople.isEmpty {
      parts.append("people " + text(Array(change.addedPeople.joined(separator: ", ").utf8)))
    }
    parts += change.fields.map { "x.\(text(Array($0.name.utf8))) \(text(Array($0.text.utf8)))" }
    let labels: [(UserWord, String)] = [
      (.title, "title"), (.caption, "caption"), (.rating, "stars"), (.favourite, "favourite"), (.taken, "time"),
      (.position, "place"),
    ]
    let said = change.values.merging(words) { $1 }
    for (word, label) in labels {
      guard let found = said[word], let value = found else { continue }
      switch word {
      case .favourite: parts.append(label)
      case .rating: parts.append("\(label) \((Int(text(value)) ?? 0) / 2)")
      default: parts.append("\(label) \(text(value))")
      }
    }
    for sidecar in sidecars where sidecar.place != nil { parts.append("sidecar " + show(sidecar.path)) }
    return parts.joined(separator: "; ")
  }
}

extension DuplicateMerge {
  /// Collects what the user, the files or their sidecars state about the others and not about the kept file.
  func takings(of kept: DuplicateGroup.Member, _ others: [DuplicateGroup.Member]) throws -> DuplicateTakings {
    let own = try library.facts(of: kept.path).facts
    let attributes = try AttributeFile(BytePath(mountPoint, kept.path).bytes).words()
    var takings = DuplicateTakings()
    var said = attributes
    var facts: [JSONValue] = []
    for other in others {
      facts.append(try library.facts(of: other.path).facts)
      let theirs = try AttributeFile(BytePath(mountPoint, other.path).bytes).words()
      for word in [UserWord.taken, .position] where said[word] == nil {
        guard let value = theirs[word] else { continue }
        said[word] = value
        takings.words[word] = value
      }
    }
    takings.sidecars = try sidecars(of: kept, others)
    takings.change = try Self.change(of: own, said, by: facts)
    takings.changes = try takings.change.changes(of: attributes)
    takings.changes.merge(takings.words) { $1 }
    if takings.sidecars.contains(where: { $0.place != nil }) {
      takings.changes.merge(try Self.own(own, said, differingFrom: facts)) { found, _ in found }
    }
    return takings
  }

  /// The words that a file takes over from others.
  static func change(
    of own: JSONValue, _ attributes: [UserWord: [UInt8]], by others: [JSONValue]
  ) throws(WordsRefused) -> WordsChange {
    func words(_ field: String) -> [String] {
      let all = WordList.unique(others.flatMap { $0[field]?.elements.compactMap(\.text) ?? [] })
      return WordList.without(all, own[field]?.elements.compactMap(\.text) ?? [])
    }
    var change = WordsChange()
    // A tag that the user removed from this very file stays removed.
    change.addedTags = WordList.without(words("tags"), called: WordList.tags(attributes[.without] ?? []))
    if attributes[.tags]?.isEmpty == true { change.addedTags = [] }
    change.addedPeople = words("people")
    var known = Set(OwnField.list(in: attributes[.fields] ?? []).map(\.key))
    for found in others.flatMap(\.fields) {
      guard let name = OwnField.name(in: found.name), let text = found.value.text,
        let field = OwnField(name: name, text: text), known.insert(field.key).inserted
      else { continue }
      change.fields.append(field)
    }
    let best = others.compactMap { $0["rating"]?.whole }.max() ?? 0
    if best > max(own["rating"]?.whole ?? 0, 0) { change.values[.rating] = try UserWord.value(rating: best) }
    if own["favourite"]?.isTrue != true, others.contains(where: { $0["favourite"]?.isTrue == true }) {
      change.values[.favourite] = Array("1".utf8)
    }
    for word in [UserWord.title, .caption, .taken, .position] where !says(word, own) {
      // The user's own statement comes first, even the statement that there is no place.
      if word == .taken || word == .position, attributes[word] != nil { continue }
      if let other = others.first(where: { says(word, $0) }) { change.values[word] = try attribute(word, of: other) }
    }
    return change
  }

  /// Facts that a file states itself and that a sidecar of another file would replace.
  static func own(
    _ own: JSONValue, _ attributes: [UserWord: [UInt8]], differingFrom others: [JSONValue]
  ) throws(WordsRefused) -> [UserWord: [UInt8]?] {
    var kept: [UserWord: [UInt8]?] = [:]
    for word in [UserWord.title, .caption, .rating, .taken, .position] where attributes[word] == nil {
      let fields = word == .position ? ["latitude", "longitude"] : ["\(word)"]
      let differs = others.contains { other in
        fields.contains { other[$0] != nil && other[$0]?.words != own[$0]?.words }
      }
      if differs, says(word, own) { kept[word] = try attribute(word, of: own) }
    }
    return kept
  }

  private static func says(_ word: UserWord, _ facts: JSONValue) -> Bool {
    switch word {
    // The file's modification time is not a known time of the photo.
    case .taken: facts["taken"] != nil && facts["takenSource"]?.text ?? "modified" != "modified"
    case .position: facts["latitude"] != nil && facts["longitude"] != nil
    case .rating: facts["rating"]?.whole ?? 0 > 0
    default: facts["\(word)"] != nil
    }
  }

  /// The attribute's value for a fact that the file states itself.
  private static func attribute(_ word: UserWord, of facts: JSONValue) throws(WordsRefused) -> [UInt8] {
    let text = facts["\(word)"]?.words ?? ""
    switch word {
    case .title: return try UserWord.value(title: text)
    case .rating: return try UserWord.value(rating: facts["rating"]?.whole ?? 0)
    case .taken: return try UserWord.value(taken: text)
    case .position:
      let degrees = ["latitude", "longitude"].map { facts[$0]?.words ?? "" }
      return try UserWord.value(position: degrees.joined(separator: ","))
    default: return try UserWord.value(caption: text)
    }
  }
}
