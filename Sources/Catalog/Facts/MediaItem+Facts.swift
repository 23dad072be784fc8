extension FactValue.Subject {
  /// The field of the record that it fills; nil if it does not fill one.
  var field: MediaField? {
    switch self {
    case .time: .time
    case .position: .position
    case .altitude: .altitude
    case .projection: .projection
    case .kind: .kind
    case .dimensions: .dimensions
    case .meanColour: .meanColour
    case .perceptualHash: .perceptualHash
    case .make: .make
    case .model: .model
    case .lens: .lens
    case .iso: .iso
    case .exposure: .exposure
    case .aperture: .aperture
    case .focalLength: .focalLength
    case .duration: .duration
    case .codec: .codec
    case .frameRate: .frameRate
    case .title: .title
    case .caption: .caption
    case .rating, .halfStars: .rating
    case .favourite: .favourite
    case .tags: .tags
    case .people: .people
    case .contentIdentifier: .contentIdentifier
    case .burstIdentifier: .burstIdentifier
    case .motion: .motion
    case .edited: .edited
    case .pixelDigest: .pixelHash
    case .mediaName, .mediaEnding: nil
    }
  }
}

extension MediaItem {
  /// Offers all facts of a list, each with its source; returns the facts about the time, for `settle`. Lists may come
  /// in any order.
  ///
  /// A pixel digest is left out, because the record has only keyed hashes; so is the name of another file.
  package mutating func offer(_ list: FactList) -> [TimeCandidate] {
    var times: [TimeCandidate] = []
    for fact in list.facts {
      if case .time(let value) = fact.value {
        times.append(TimeCandidate(value, from: fact.source))
      } else {
        offer(fact)
      }
    }
    return times
  }

  private mutating func offer(_ fact: Fact) {
    let source = fact.source
    guard let field = fact.value.subject.field else { return }
    switch fact.value {
    case .position(let value): offer(value, for: field, at: \.position, from: source)
    case .altitude(let value): offer(value, for: field, at: \.altitude, from: source)
    case .projection(let value): offer(value, for: field, at: \.projection, from: source)
    case .kind(let value): offer(value, for: field, at: \.kind, from: source)
    case .dimensions(let width, let height):
      offer(width, for: field, at: \.width, from: source)
      offer(height, for: field, at: \.height, from: source)
    case .meanColour(let value): offer(value, for: field, at: \.meanColour, from: source)
    case .perceptualHash(let value): offer(value, for: field, at: \.perceptualHash, from: source)
    case .make(let text): offer(text, for: field, at: \.camera.make, from: source)
    case .model(let text): offer(text, for: field, at: \.camera.model, from: source)
    case .lens(let text): offer(text, for: field, at: \.camera.lens, from: source)
    case .iso(let value): offer(value, for: field, at: \.camera.iso, from: source)
    case .exposure(let value): offer(value, for: field, at: \.camera.exposure, from: source)
    case .aperture(let value): offer(value, for: field, at: \.camera.aperture, from: source)
    case .focalLength(let value): offer(value, for: field, at: \.camera.focalLength, from: source)
    case .duration(let value): offer(value, for: field, at: \.video.duration, from: source)
    case .codec(let text): offer(text, for: field, at: \.video.codec, from: source)
    case .frameRate(let value): offer(value, for: field, at: \.video.frameRate, from: source)
    case .title(let text): offer(text, for: field, at: \.words.title, from: source)
    case .caption(let text): offer(text, for: field, at: \.words.caption, from: source)
    case .rating(let stars): offer(rating: stars, from: source)
    case .halfStars(let halves): offer(halfStars: halves, from: source)
    case .favourite(let flag): offer(flag, for: field, at: \.words.isFavourite, from: source)
    case .tags(let list): offer(tags: list, from: source)
    case .people(let list): offer(people: list, from: source)
    case .contentIdentifier(let text): offer(text, for: field, at: \.links.contentIdentifier, from: source)
    case .burstIdentifier(let text): offer(text, for: field, at: \.links.burstIdentifier, from: source)
    case .motion(let range): offer(range, for: field, at: \.links.motion, from: source)
    case .edited(let flag): offer(flag, for: field, at: \.links.isEdited, from: source)
    case .time, .pixelDigest, .mediaName, .mediaEnding: break
    }
  }
}
