/// A field by the name that people write: in a user's mapping, and in the tables of foreign fields.
package enum FactField: String, Sendable, CaseIterable {
  case title, caption, tags, people, rating, favourite
  case taken, position, altitude, projection
  case make, model, lens, iso, exposure, aperture, focal
  case duration, codec, fps
  /// Apple's content identifier, and the identifier of a burst.
  case live, burst
  /// The name of the file that a sidecar describes.
  case name

  /// Synonyms, the same as in queries.
  private static let others: [String: FactField] = [
    "description": .caption, "tag": .tags, "keywords": .tags, "person": .people, "stars": .rating,
    "favorite": .favourite, "date": .taken, "time": .taken, "gps": .position, "focallength": .focal,
    "length": .duration,
  ]

  /// The field of a name, in any case; nil if there is none.
  package init?(name: String) {
    let name = name.lowercased()
    guard let field = FactField(rawValue: name) ?? Self.others[name] else { return nil }
    self = field
  }
}

extension FactValue {
  /// Reads a text as a value of the named field; nil if the field does not exist or the text is not a value of it.
  package init?(field: String, text: String) {
    guard let field = FactField(name: field), let value = FactValue(field, text) else { return nil }
    self = value
  }

  /// The value of several texts for a field of that name: every text is a tag, or a person; for other fields the
  /// first text that is a value counts.
  package init?(field: String, texts: [String]) {
    guard let field = FactField(name: field), let value = FactValue(field, texts) else { return nil }
    self = value
  }

  /// The value of a text for a field.
  package init?(_ field: FactField, _ text: String) {
    let value: FactValue? =
      switch field {
      case .title: .title(text)
      case .caption: .caption(text)
      case .tags: .tags(FactText.list(text))
      case .people: .people(FactText.list(text))
      case .rating: FactText.rating(text).map(FactValue.rating)
      case .favourite: FactText.flag(text).map(FactValue.favourite)
      case .taken: FactText.time(text).map(FactValue.time)
      case .position: FactText.position(text).map(FactValue.position)
      case .altitude: FactText.number(text, units: ["metres", "m"]).map(FactValue.altitude)
      case .projection: FactText.projection(text).map(FactValue.projection)
      case .make: .make(text)
      case .model: .model(text)
      case .lens: .lens(text)
      case .iso: FactText.number(text, units: []).flatMap(Int.init(exactly:)).map(FactValue.iso)
      case .exposure: FactText.number(text, units: ["sec", "s"]).map(FactValue.exposure)
      case .aperture: FactText.number(text, prefix: "f/", units: []).map(FactValue.aperture)
      case .focal: FactText.number(text, units: ["mm"]).map(FactValue.focalLength)
      case .duration: FactText.duration(text).map(FactValue.duration)
      case .codec: .codec(text)
      case .fps: FactText.number(text, units: []).map(FactValue.frameRate)
      case .live: .contentIdentifier(Whitespace.trimmed(text))
      case .burst: .burstIdentifier(Whitespace.trimmed(text))
      case .name: .mediaName(text)
      }
    guard let value = value?.bounded else { return nil }
    self = value
  }

  /// The value of several texts for a field.
  package init?(_ field: FactField, _ texts: [String]) {
    let value: FactValue? =
      switch field {
      case .tags: FactValue.tags(texts).bounded
      case .people: FactValue.people(texts).bounded
      default: texts.lazy.compactMap { FactValue(field, $0) }.first
      }
    guard let value else { return nil }
    self = value
  }
}
