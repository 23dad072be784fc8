internal import Media

extension FactValue {
  /// Most tags from one source, and most people.
  package static let mostTags = 1024
  /// Most bytes of all tags from one source together, and of all people.
  package static let mostTagBytes = 16_384
  /// Most bytes of a caption.
  package static let mostCaptionBytes = 16_384
  /// Most bytes of a title, and of a name.
  package static let mostTitleBytes = 4096
  /// Most bytes of every other text.
  package static let mostWordBytes = 256

  /// Most bytes of a subject's text; nil if its value is not a text.
  static func mostBytes(of subject: Subject) -> Int? {
    switch subject {
    case .caption: mostCaptionBytes
    case .title, .mediaName: mostTitleBytes
    case .make, .model, .lens, .codec, .contentIdentifier, .burstIdentifier, .mediaEnding: mostWordBytes
    default: nil
    }
  }

  /// Whether a photo or video can have this value. Writers leave out impossible values; readers reject them.
  package var isPossible: Bool {
    switch self {
    case .time(.wall(let wall, let offset)):
      (offset ?? 0).magnitude <= UInt32(CapturedTime.mostOffset) && (offset == nil || !wall.precision.isPartial)
    case .time(.universal), .position, .projection, .kind, .meanColour, .perceptualHash, .favourite, .edited: true
    case .altitude(let metres): (-20_000...1_000_000).contains(metres)
    case .dimensions(let width, let height):
      (1...MediaFacts.mostSide).contains(width) && (1...MediaFacts.mostSide).contains(height)
    case .pixelDigest(let bytes): bytes.count == 32 && !PartialTimeForm.isOne(bytes)
    case .iso(let number): (1...100_000_000).contains(number)
    case .exposure(let seconds): seconds > 0 && seconds <= 10_000_000
    case .aperture(let number): number > 0 && number <= 1000
    case .focalLength(let millimetres): millimetres > 0 && millimetres <= 1_000_000
    case .duration(let seconds): (0...366 * 86_400).contains(seconds)
    case .frameRate(let frames): frames > 0 && frames <= 1_000_000
    case .rating(let stars): (-1...5).contains(stars)
    case .halfStars(let halves): (0...10).contains(halves)
    case .motion(let range): !range.isEmpty && range.upperBound <= UInt64(Int64.max)
    case .tags(let list), .people(let list):
      list.count <= Self.mostTags && list.reduce(0) { $0 + $1.utf8.count } <= Self.mostTagBytes
        && !list.contains { $0.isEmpty }
    case .make(let text), .model(let text), .lens(let text), .codec(let text), .title(let text), .caption(let text),
      .contentIdentifier(let text), .burstIdentifier(let text), .mediaName(let text), .mediaEnding(let text):
      !text.isEmpty && text.utf8.count <= Self.mostBytes(of: subject) ?? 0
    }
  }

  /// The value within the bounds: texts are cut between two scalars, and excess tags are left out. Nil if the value
  /// is impossible, or is an identifier that is too long: half an identifier would be a different one.
  package var bounded: FactValue? {
    func cut(_ text: String, _ make: (String) -> FactValue) -> FactValue {
      make(Whitespace.trimmed(Self.prefix(of: text, bytes: Self.mostBytes(of: subject) ?? 0)))
    }
    let value: FactValue =
      switch self {
      case .make(let text): cut(text, FactValue.make)
      case .model(let text): cut(text, FactValue.model)
      case .lens(let text): cut(text, FactValue.lens)
      case .codec(let text): cut(text, FactValue.codec)
      case .title(let text): cut(text, FactValue.title)
      case .caption(let text): cut(text, FactValue.caption)
      case .tags(let list): .tags(Self.fitting(list))
      case .people(let list): .people(Self.fitting(list))
      default: self
      }
    switch value {
    case .tags(let list) where list.isEmpty, .people(let list) where list.isEmpty: return nil
    default: return value.isPossible ? value : nil
    }
  }

  /// The longest prefix of at most this many bytes that cuts no scalar.
  private static func prefix(of text: String, bytes: Int) -> String {
    var text = text
    text.makeContiguousUTF8()
    if text.utf8.count <= bytes { return text }
    var end = text.utf8.index(text.utf8.startIndex, offsetBy: bytes)
    while UTF8.isContinuation(text.utf8[end]) { end = text.utf8.index(before: end) }
    return String(text[..<end])
  }

  /// The first tags in their normal form that fit into the bounds.
  private static func fitting(_ list: [String]) -> [String] {
    var kept: [String] = []
    var bytes = 0
    for tag in TagList.normal(list) {
      if kept.count == mostTags { break }
      if bytes + tag.utf8.count > mostTagBytes { continue }
      bytes += tag.utf8.count
      kept.append(tag)
    }
    return kept
  }
}
