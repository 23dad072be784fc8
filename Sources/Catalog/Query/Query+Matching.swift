// The evaluator that defines the meaning of a query. Faster ways to answer, by tables or a full-text index, must
// agree with it.

internal import Media

extension Query {
  /// Whether a photo is an answer: it matches, and is not in the trash unless the query mentions trash.
  package func answers(_ item: MediaItem) -> Bool {
    (!item.isTrashed || mentionsTrash) && matches(item)
  }

  /// Whether the query holds for a photo. A condition on an unknown fact does not hold, so its negation does:
  /// `-date:2024` includes the photos without a date.
  package func matches(_ item: MediaItem) -> Bool {
    switch self {
    case .all: true
    case .and(let parts): parts.allSatisfy { $0.matches(item) }
    case .or(let parts): parts.contains { $0.matches(item) }
    case .not(let part): !part.matches(item)
    case .condition(let condition): condition.matches(item)
    }
  }
}

extension Query.Condition {
  /// Whether the condition holds for a photo.
  package func matches(_ item: MediaItem) -> Bool {
    switch self {
    case .words(let pattern): item.texts.contains(where: pattern.matches)
    case .text(let field, .words(let pattern)): item.texts(of: field).contains(where: pattern.matches)
    case .text(let field, .whole(let glob)): item.texts(of: field).contains { glob.matches($0) }
    case .own(let key, .words(let pattern)): item.words.fields.contains { $0.key == key && pattern.matches($0.text) }
    case .own(let key, .whole(let glob)): item.words.fields.contains { $0.key == key && glob.matches($0.text) }
    case .hasOwn(let key): item.words.fields.contains { $0.key == key }
    case .tag(let glob, let isExact): item.words.tags.contains { Self.matches($0, glob, isExact: isExact) }
    case .album(let pattern): item.names.contains { pattern.matches($0.albumText) }
    case .country(let glob): item.place.map { glob.matches($0.countryCode) || glob.matches($0.country) } ?? false
    case .region(let glob):
      item.place.map { !$0.region.isEmpty && (glob.matches($0.region) || glob.matches($0.regionName ?? "")) } ?? false
    case .codec(let glob): item.video.codec.map { glob.matches($0) } ?? false
    case .kinds(let kinds): kinds.contains(item.kind)
    case .flag(let flag): item.has(flag)
    case .has(let presence): item.has(presence)
    case .number(let field, let range): item.number(field).map(range.contains) ?? false
    case .time(let start, let end):
      item.taken?.wall.isWithin(from: start, before: end) ?? false
    case .anniversary(let month, let day): item.taken?.wall.isKnown(inMonth: month, day: day) ?? false
    case .near(let centre, let metres): item.position.map { centre.distance(to: $0) <= metres } ?? false
    case .hash(let digits): item.contentHash.map { Self.begins($0, with: digits) } ?? false
    }
  }

  /// Whether the tag, a tag above it, or its last level matches: "Places/Paris" is below "Places", and is "Paris".
  private static func matches(_ tag: String, _ glob: Glob, isExact: Bool) -> Bool {
    let folded = Folding.fold(tag)
    return isExact ? glob.matches(folded[...]) : TagLevels.contains(glob, in: folded)
  }

  private static func begins(_ hash: [UInt8], with digits: String) -> Bool {
    let wanted = digits.utf8
    guard wanted.count <= 2 * hash.count else { return false }
    return wanted.enumerated().allSatisfy { index, digit in
      let half = index % 2 == 0 ? hash[index / 2] >> 4 : hash[index / 2] & 0xF
      return digit == (half < 10 ? 0x30 + half : 0x57 + half)
    }
  }
}

extension MediaItem {
  /// The texts in which words without a field are searched.
  var texts: [String] { names.flatMap { [$0.albumText, $0.nameText] } + textsBesideNames }

  /// As `texts`, without names and albums; the full-text index contains all of these.
  package var textsBesideNames: [String] {
    [words.title, words.caption].compactMap { $0 } + words.tags + words.people + words.fields.map(\.text)
      + (place.map { [$0.town, $0.region, $0.country] } ?? [])
  }

  /// The texts of a field. The parts of a place are one text, so that a query can match the whole.
  package func texts(of field: Query.TextField) -> [String] {
    switch field {
    case .name: names.map(\.nameText)
    case .title: words.title.map { [$0] } ?? []
    case .caption: words.caption.map { [$0] } ?? []
    case .person: words.people
    case .camera: camera.name.map { [$0] } ?? []
    case .lens: camera.lens.map { [$0] } ?? []
    case .place: place.map { [$0.fullName] } ?? []
    }
  }

  /// A number that queries compare; nil if it is unknown.
  package func number(_ field: Query.NumberField) -> Double? {
    switch field {
    case .rating: Double(words.rating ?? 0)
    case .size: Double(size)
    case .width: width > 0 ? Double(width) : nil
    case .height: height > 0 ? Double(height) : nil
    case .megapixels: width > 0 && height > 0 ? Double(width) * Double(height) / 1e6 : nil
    case .duration: video.duration
    case .iso: camera.iso.map(Double.init)
    case .aperture: camera.aperture
    case .exposure: camera.exposure
    case .focal: camera.focalLength
    case .altitude: altitude
    case .fps: video.frameRate
    }
  }

  /// Whether a flag is set.
  package func has(_ flag: Query.Flag) -> Bool {
    switch flag {
    case .favourite: words.isFavourite
    case .stacked: links.stack != nil
    case .live: links.stack?.kind == .live
    case .motion: links.motion != nil
    case .burst: links.stack?.kind == .burst
    case .raw: kind == .raw
    case .duplicate: links.isDuplicate
    case .edited: links.isEdited
    case .panorama: projection != nil
    case .cover: words.isCover
    case .rejected: words.rating == -1
    case .trashed: isTrashed
    }
  }

  /// Whether a fact is known.
  package func has(_ presence: Query.Presence) -> Bool {
    switch presence {
    case .time: taken?.isKnown == true
    case .month: taken?.isKnown == true && taken?.wall.knownMonth != nil
    case .day: taken?.isKnown == true && taken?.wall.knownDay != nil
    case .zone: taken?.offset != nil
    case .gps: position != nil
    case .altitude: altitude != nil
    case .place: place != nil
    case .title: words.title != nil
    case .caption: words.caption != nil
    case .tags: !words.tags.isEmpty
    case .people: !words.people.isEmpty
    case .rating: words.rating ?? 0 != 0
    case .camera: camera.name != nil
    case .lens: camera.lens != nil
    case .sidecar: links.sidecar != nil
    }
  }
}

extension Place {
  /// "Paris, Île-de-France, France".
  package var fullName: String { [town, region, country].filter { !$0.isEmpty }.joined(separator: ", ") }

  /// "Île-de-France, France"; nil without a region.
  package var regionName: String? { region.isEmpty ? nil : region + ", " + country }
}
