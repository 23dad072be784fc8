extension MediaItem {
  /// Sets a field if its source is better than that of the present value, or the same. Nil never replaces a value. So
  /// the order in which sources are read does not matter.
  ///
  /// Use this for single values; `offer(tags:)` and `offer(people:)` make unions, and ``CapturedTime`` resolves all
  /// times together.
  package mutating func offer<Value>(
    _ value: Value?, for field: MediaField, at path: WritableKeyPath<MediaItem, Value?>, from source: FactSource
  ) {
    guard let value, canReplace(field, from: source) else { return }
    self[keyPath: path] = value
    sources[field] = FactSources(source)
  }

  /// As above, for a field that always has a value.
  package mutating func offer<Value>(
    _ value: Value?, for field: MediaField, at path: WritableKeyPath<MediaItem, Value>, from source: FactSource
  ) {
    guard let value, canReplace(field, from: source) else { return }
    self[keyPath: path] = value
    sources[field] = FactSources(source)
  }

  private func canReplace(_ field: MediaField, from source: FactSource) -> Bool {
    guard let rank = source.rank(for: field) else { return false }
    guard let present = sources.first(field)?.rank(for: field) else { return true }
    return rank <= present
  }

  /// Adds tags. Tags from the source `override` replace all others.
  package mutating func offer(tags: [String], from source: FactSource) {
    Self.join(tags, into: &words.tags, field: .tags, source: source, sources: &sources)
  }

  /// Adds people. People from the source `override` replace all others.
  package mutating func offer(people: [String], from source: FactSource) {
    Self.join(people, into: &words.people, field: .people, source: source, sources: &sources)
  }

  private static func join(
    _ new: [String], into list: inout [String], field: MediaField, source: FactSource, sources: inout FieldSources
  ) {
    guard source.rank(for: field) != nil else { return }
    let isOverridden = sources[field].contains(FactSources(.override))
    if source == .override {
      if !isOverridden { list = [] }
      sources[field] = FactSources(.override)
    } else if isOverridden || new.isEmpty {
      return
    } else {
      sources[field].insert(FactSources(source))
    }
    list = TagList.normal(list + new)
  }

  /// Takes a rating from −1 to 5; a number outside is ignored.
  package mutating func offer(rating: Int, from source: FactSource) {
    guard (-1...5).contains(rating) else { return }
    offer(rating, for: .rating, at: \.words.rating, from: source)
  }

  /// Takes a rating from `user.baloo.rating`, in half stars from 0 to 10. Halves are rounded up, because one half
  /// star must not become unrated.
  package mutating func offer(halfStars: Int, from source: FactSource) {
    guard (0...10).contains(halfStars) else { return }
    offer(rating: (halfStars + 1) / 2, from: source)
  }
}

/// The normal form of a list of tags or people.
package enum TagList {
  /// The longest tag in bytes. A longer one is left out, because a cut tag would be a different tag.
  package static let mostBytes = 65_536

  /// Trimmed, without empty and repeated ones, sorted by their bytes.
  package static func normal(_ tags: [String]) -> [String] {
    var seen = Set<[UInt8]>()
    var kept: [(bytes: [UInt8], text: String)] = []
    for tag in tags {
      let text = Whitespace.trimmed(tag)
      let bytes = Array(text.utf8)
      if !bytes.isEmpty, bytes.count <= mostBytes, seen.insert(bytes).inserted { kept.append((bytes, text)) }
    }
    return kept.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map(\.text)
  }

  /// Each tag once, ignoring case, in its first spelling. A tag is left out if it is the last level of another tag,
  /// or all levels of it in one: programs write "Paris" next to "Places/Paris", and "Places/Paris" as a tag without
  /// levels.
  package static func distinct(_ tags: [String]) -> [String] {
    func key(_ text: some StringProtocol) -> [UInt8] { Array(text.lowercased().utf8) }
    var seen = Set<[UInt8]>()
    for tag in tags {
      let levels = TagLevels.all(of: tag)
      guard levels.count > 1, let last = levels.last else { continue }
      seen.insert(key(last))
      seen.insert(key(TagLevels.escaped(TagLevels.plain(tag))))
    }
    return tags.filter { seen.insert(key($0)).inserted }
  }
}
