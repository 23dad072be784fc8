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

internal import System

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

  /// Reads the stored form; nil if no `packed` gives these bytes. Which sources gave what may be left out.
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
      // They come last, and say which zone stands for UTC.
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
