// The facts of a photo that no column of the catalog has, in few bytes.
//
// A record is a sequence of fields: a number from 1 to 127, then the value in the field's own form. Numbers are in
// groups of seven bits, the lowest first; signed ones have their sign in the lowest bit. Texts and lists have their
// length before them.
//
// Invariants
// 1. Fields ascend, and none comes twice, so a record has one form.
// 2. What is read is checked as if nobody vouched for it; a field of a later version makes the record unreadable.
// 3. Programs that know no home zone read all of it: a zone from there is written as UTC, and `sources` says more, where
//    they pass over what they do not know.

/// The facts of a photo that no column has. What many photos share is a term, by its number.
package struct PackedRecord: Hashable, Sendable {
  /// Seconds since 1970, UTC.
  package var modified: Int64 = 0
  /// At most a day: what is known in part is in the row's flags (`ItemFlags.precision`).
  package var precision: WallTime.Precision = .second
  package var timeSource: FactSource?
  package var offset: Int32?
  /// `home` counts only if `sources` says the same.
  package var zoneSource: FactSource?
  package var altitude: Double?
  package var width = 0
  package var height = 0
  package var projection: MediaItem.Projection?
  package var meanColour: MediaItem.Colour?
  /// A term.
  package var make: Int64?
  /// A term.
  package var model: Int64?
  package var iso: Int?
  package var exposure: Double?
  package var aperture: Double?
  package var focalLength: Double?
  /// A term.
  package var codec: Int64?
  package var frameRate: Double?
  package var title: String?
  package var caption: String?
  /// Terms.
  package var tags: [Int64] = []
  /// Terms.
  package var people: [Int64] = []
  package var contentIdentifier: String?
  package var burstIdentifier: String?
  package var motion: Range<UInt64>?
  /// Inodes of the files of facts beside it.
  package var sidecars: [Int64] = []
  /// What the user said about its stack.
  package var stackWord: String?
  package var stackKind: StackKind?
  package var sources = FieldSources()

  /// Nothing known.
  package init() {}
}

extension PackedRecord {
  private enum Field: UInt8 {
    case modified = 1
    case time, offset, altitude, size, projection, colour, make, model, iso, exposure, aperture, focal, codec, rate
    case title, caption, tags, people, content, burst, motion, sidecars, stackWord, stack, sources
  }

  /// The stored form.
  package var packed: [UInt8] {
    var writer = PackedWriter()
    func put<Value>(_ field: Field, _ value: Value?, _ write: (inout PackedWriter, Value) -> Void) {
      guard let value else { return }
      writer.bytes.append(field.rawValue)
      write(&writer, value)
    }
    put(.modified, modified == 0 ? nil : modified) { $0.signed($1) }
    put(.time, timeSource) {
      $0.bytes.append(precision.rawValue)
      $0.bytes.append($1.rawValue)
    }
    put(.offset, zoneSource) {
      $0.signed(Int64(offset ?? 0))
      $0.bytes.append(($1 == .home ? FactSource.universal : $1).rawValue)
    }
    put(.altitude, altitude) { $0.real($1) }
    put(.size, width > 0 || height > 0 ? (width, height) : nil) {
      $0.number(UInt64(max(0, $1.0)))
      $0.number(UInt64(max(0, $1.1)))
    }
    put(.projection, projection) { $0.bytes.append($1.rawValue) }
    put(.colour, meanColour) { $0.bytes += [$1.red, $1.green, $1.blue] }
    put(.make, make) { $0.signed($1) }
    put(.model, model) { $0.signed($1) }
    put(.iso, iso) { $0.signed(Int64($1)) }
    put(.exposure, exposure) { $0.real($1) }
    put(.aperture, aperture) { $0.real($1) }
    put(.focal, focalLength) { $0.real($1) }
    put(.codec, codec) { $0.signed($1) }
    put(.rate, frameRate) { $0.real($1) }
    put(.title, title) { $0.text($1) }
    put(.caption, caption) { $0.text($1) }
    put(.tags, tags.isEmpty ? nil : tags) { $0.list($1) }
    put(.people, people.isEmpty ? nil : people) { $0.list($1) }
    put(.content, contentIdentifier) { $0.text($1) }
    put(.burst, burstIdentifier) { $0.text($1) }
    put(.motion, motion) {
      $0.number($1.lowerBound)
      $0.number($1.upperBound)
    }
    put(.sidecars, sidecars.isEmpty ? nil : sidecars) { $0.list($1) }
    put(.stackWord, stackWord) { $0.text($1) }
    put(.stack, stackKind) { $0.bytes.append($1.rawValue) }
    let sources = sources.packed
    put(.sources, sources.isEmpty ? nil : sources) { $0.blob($1) }
    return writer.bytes
  }

  /// Reads the stored form; nil if no `packed` gives these bytes. Which sources gave what may be left out.
  package init?(packed bytes: [UInt8], withSources: Bool = true) {
    self.init()
    var reader = PackedReader(bytes)
    var last: UInt8 = 0
    while !reader.isAtEnd {
      guard let number = reader.byte(), number > last, let field = Field(rawValue: number) else { return nil }
      // They come last, and say which zone stands for UTC.
      if field == .sources, !withSources, zoneSource != .universal { return }
      guard read(field, &reader) else { return nil }
      last = number
    }
  }

  /// Reads the value of a field; false if it makes no sense.
  private mutating func read(_ field: Field, _ reader: inout PackedReader) -> Bool {
    func take<Value>(_ value: Value?, _ place: inout Value?) -> Bool {
      place = value
      return value != nil
    }
    switch field {
    case .modified:
      modified = reader.signed() ?? 0
      return modified != 0
    case .time:
      guard let precision = reader.byte().flatMap(WallTime.Precision.init), !precision.isPartial else { return false }
      self.precision = precision
      return take(reader.byte().flatMap(FactSource.init), &timeSource)
    case .offset:
      return take(reader.signed().flatMap(Int32.init(exactly:)), &offset)
        && take(reader.byte().flatMap(FactSource.init), &zoneSource) && zoneSource != .home
    case .altitude: return take(reader.real(), &altitude)
    case .size:
      guard let first = reader.number().flatMap(Int.init(exactly:)),
        let second = reader.number().flatMap(Int.init(exactly:)), first > 0 || second > 0
      else { return false }
      (width, height) = (first, second)
      return true
    case .projection: return take(reader.byte().flatMap(MediaItem.Projection.init), &projection)
    case .colour:
      guard let red = reader.byte(), let green = reader.byte(), let blue = reader.byte() else { return false }
      meanColour = MediaItem.Colour(red: red, green: green, blue: blue)
      return true
    case .make: return take(reader.signed(), &make)
    case .model: return take(reader.signed(), &model)
    case .iso: return take(reader.signed().flatMap(Int.init(exactly:)), &iso)
    case .exposure: return take(reader.real(), &exposure)
    case .aperture: return take(reader.real(), &aperture)
    case .focal: return take(reader.real(), &focalLength)
    case .codec: return take(reader.signed(), &codec)
    case .rate: return take(reader.real(), &frameRate)
    case .title: return take(reader.text(), &title)
    case .caption: return take(reader.text(), &caption)
    case .tags:
      tags = reader.list() ?? []
      return !tags.isEmpty
    case .people:
      people = reader.list() ?? []
      return !people.isEmpty
    case .content: return take(reader.text(), &contentIdentifier)
    case .burst: return take(reader.text(), &burstIdentifier)
    case .motion:
      guard let start = reader.number(), let end = reader.number(), start <= end else { return false }
      motion = start..<end
      return true
    case .sidecars:
      sidecars = reader.list() ?? []
      return !sidecars.isEmpty
    case .stackWord: return take(reader.text(), &stackWord)
    case .stack: return take(reader.byte().flatMap(StackKind.init), &stackKind)
    case .sources:
      guard let bytes = reader.blob(), !bytes.isEmpty, let sources = FieldSources(packed: bytes) else { return false }
      self.sources = sources
      if zoneSource == .universal, sources[.zone].contains(FactSources(.home)) { zoneSource = .home }
      return true
    }
  }
}
