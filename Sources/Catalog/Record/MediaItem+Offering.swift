extension MediaItem {
  /// Sets a field if its source comes before the source of the present value, or is the same. Nil never replaces a
  /// value. So the order in which sources are read does not matter.
  ///
  /// Use it for single values; `offer(tags:)` and `offer(people:)` make unions, and times are resolved together by
  /// ``CapturedTime``.
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

  /// Adds tags. What the user set as an override replaces all others.
  package mutating func offer(tags: [String], from source: FactSource) {
    Self.join(tags, into: &words.tags, field: .tags, source: source, sources: &sources)
  }

  /// Adds people. What the user set as an override replaces all others.
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

  /// Takes a rating of a source that counts from −1 to 5; what is outside is no rating.
  package mutating func offer(rating: Int, from source: FactSource) {
    guard (-1...5).contains(rating) else { return }
    offer(rating, for: .rating, at: \.words.rating, from: source)
  }

  /// Takes a rating of `user.baloo.rating`, which counts half stars, 0 to 10. Halves are rounded up: one half star is a
  /// star, not none.
  package mutating func offer(halfStars: Int, from source: FactSource) {
    guard (0...10).contains(halfStars) else { return }
    offer(rating: (halfStars + 1) / 2, from: source)
  }
}

/// The normal form of a list of tags or people.
package enum TagList {
  /// Longest tag in bytes; what is longer is left out rather than cut, since a cut tag is another tag.
  package static let mostBytes = 65_536

  /// Without space at the ends, empty ones and repetitions, sorted by their bytes.
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

  /// Each tag once, whatever its case, in its first spelling, and none that is the last level of another one, or all its
  /// levels as one: programs write "Paris" beside "Places/Paris", and "Places/Paris" where tags have no levels.
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
