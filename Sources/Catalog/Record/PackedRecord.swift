// The compact form of a photo's facts that no column of the catalog has.
//
// A record is a sequence of fields: a number from 1 to 127, then the value in the field's own form. Numbers are in
// groups of seven bits, lowest first; signed ones have their sign in the lowest bit. Texts and lists follow their
// length.
//
// Invariants
// 1. Fields are in ascending order, each at most once, so a record has exactly one form.
// 2. Bytes that are read count as untrusted and are checked; a field of a later version makes the record unreadable.
// 3. Programs that do not know home zones can read every record: a zone from a home zone is written as UTC, and only
//    `sources` states its origin, where those programs skip unknown sources.

internal import System

/// The facts of a photo that no column has. Values that many photos share are terms, by their numbers.
package struct PackedRecord: Hashable, Sendable {
  /// Seconds since 1970, UTC.
  package var modified: Int64 = 0
  /// At coarsest a day: the row's flags show a time known only in part (`ItemFlags.precision`).
  package var precision: WallTime.Precision = .second
  package var timeSource: FactSource?
  package var offset: Int32?
  /// `home` counts only if `sources` agrees.
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
  /// The inodes of its sidecars.
  package var sidecars: [Int64] = []
  /// The user's decision about its stack.
  package var stackWord: String?
  package var stackKind: StackKind?
  package var sources = FieldSources()

  /// Without any facts.
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
    var writer = ByteWriter()
    func put<Value>(_ field: Field, _ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
      guard let value else { return }
      writer.append(field.rawValue)
      write(&writer, value)
    }
    put(.modified, modified == 0 ? nil : modified) { $0.signed($1) }
    put(.time, timeSource) {
      $0.append(precision.rawValue)
      $0.append($1.rawValue)
    }
    put(.offset, zoneSource) {
      $0.signed(Int64(offset ?? 0))
      $0.append(($1 == .home ? FactSource.universal : $1).rawValue)
    }
    put(.altitude, altitude) { $0.append($1.bitPattern) }
    put(.size, width > 0 || height > 0 ? (width, height) : nil) {
      $0.whole(UInt64(max(0, $1.0)))
      $0.whole(UInt64(max(0, $1.1)))
    }
    put(.projection, projection) { $0.append($1.rawValue) }
    put(.colour, meanColour) { $0.append([$1.red, $1.green, $1.blue]) }
    put(.make, make) { $0.signed($1) }
    put(.model, model) { $0.signed($1) }
    put(.iso, iso) { $0.signed(Int64($1)) }
    put(.exposure, exposure) { $0.append($1.bitPattern) }
    put(.aperture, aperture) { $0.append($1.bitPattern) }
    put(.focal, focalLength) { $0.append($1.bitPattern) }
    put(.codec, codec) { $0.signed($1) }
    put(.rate, frameRate) { $0.append($1.bitPattern) }
    put(.title, title) { $0.text($1) }
    put(.caption, caption) { $0.text($1) }
    put(.tags, tags.isEmpty ? nil : tags) { $0.list($1) }
    put(.people, people.isEmpty ? nil : people) { $0.list($1) }
    put(.content, contentIdentifier) { $0.text($1) }
    put(.burst, burstIdentifier) { $0.text($1) }
    put(.motion, motion) {
      $0.whole($1.lowerBound)
      $0.whole($1.upperBound)
    }
    put(.sidecars, sidecars.isEmpty ? nil : sidecars) { $0.list($1) }
    put(.stackWord, stackWord) { $0.text($1) }
    put(.stack, stackKind) { $0.append($1.rawValue) }
    let sources = sources.packed
    put(.sources, sources.isEmpty ? nil : sources) { $0.blob($1) }
    return writer.bytes
  }

  /// Reads the stored form; nil if `packed` cannot have produced these bytes. The sources may be skipped.
  package init?(packed bytes: [UInt8], withSources: Bool = true) {
    self.init()
    do throws(ByteReader.Malformed) {
      try read(bytes, withSources: withSources)
    } catch {
      return nil
    }
  }

  private mutating func read(_ bytes: [UInt8], withSources: Bool) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    var last: UInt8 = 0
    while reader.remaining > 0 {
      let field = try reader.code(Field.self)
      guard field.rawValue > last else { throw ByteReader.Malformed() }
      // The sources are the last field. They also show whether a zone of UTC really is the home zone.
      if field == .sources, !withSources, zoneSource != .universal { return }
      guard try read(field, &reader) else { throw ByteReader.Malformed() }
      last = field.rawValue
    }
  }

  /// Reads the value of a field; false if it makes no sense.
  private mutating func read(_ field: Field, _ reader: inout ByteReader) throws(ByteReader.Malformed) -> Bool {
    switch field {
    case .modified:
      modified = try reader.signed()
      return modified != 0
    case .time:
      precision = try reader.code(WallTime.Precision.self)
      timeSource = try reader.code(FactSource.self)
      return !precision.isPartial
    case .offset:
      offset = try ByteReader.known(Int32(exactly: try reader.signed()))
      zoneSource = try reader.code(FactSource.self)
      return zoneSource != .home
    case .altitude: altitude = try reader.double()
    case .size:
      width = try ByteReader.known(Int(exactly: try reader.whole()))
      height = try ByteReader.known(Int(exactly: try reader.whole()))
      return width > 0 || height > 0
    case .projection: projection = try reader.code(MediaItem.Projection.self)
    case .colour:
      let parts = try reader.readBytes(3)
      meanColour = MediaItem.Colour(red: parts[0], green: parts[1], blue: parts[2])
    case .make: make = try reader.signed()
    case .model: model = try reader.signed()
    case .iso: iso = try ByteReader.known(Int(exactly: try reader.signed()))
    case .exposure: exposure = try reader.double()
    case .aperture: aperture = try reader.double()
    case .focal: focalLength = try reader.double()
    case .codec: codec = try reader.signed()
    case .rate: frameRate = try reader.double()
    case .title: title = try reader.text()
    case .caption: caption = try reader.text()
    case .tags: tags = try reader.list()
    case .people: people = try reader.list()
    case .content: contentIdentifier = try reader.text()
    case .burst: burstIdentifier = try reader.text()
    case .motion:
      let (start, end) = (try reader.whole(), try reader.whole())
      guard start <= end else { return false }
      motion = start..<end
    case .sidecars: sidecars = try reader.list()
    case .stackWord: stackWord = try reader.text()
    case .stack: stackKind = try reader.code(StackKind.self)
    case .sources:
      let bytes = try reader.blob()
      sources = try ByteReader.known(FieldSources(packed: bytes))
      if zoneSource == .universal, sources[.zone].contains(FactSources(.home)) { zoneSource = .home }
      return !bytes.isEmpty
    }
    return true
  }
}
