// One photo as a line of JSON, written straight from its row. The names are part of the protocol of the door, so a
// name once used is never changed or dropped.

internal import Catalog
internal import Index
internal import Media
internal import Vault

/// The parts of a photo's line that depend on the user who asks.
struct ShownItem {
  /// The path as the answer shows it (`CatalogView.shown`).
  var path: [UInt8]
  /// All names that count, if there are several.
  var names: [[UInt8]] = []
  var isTrashed = false
  var isDuplicate = false
  /// Whether the line names the sources of each fact.
  var showsSources = false
  /// The name of the space's home zone.
  var homeZone: String?
  /// The values that duplicates are compared by; nil if they were not asked for.
  var comparison: Comparison?

  struct Comparison {
    var ownFacts: Int
    var look: UInt64?
    /// Paths of the photo's sidecars.
    var sidecars: [[UInt8]]
  }
}

extension JSONText {
  /// Writes the facts of a photo; unknown facts are left out.
  ///
  /// - Throws: `.damaged` if the row makes no sense.
  mutating func value(
    _ row: borrowing Timeline, _ shown: ShownItem, _ lookups: inout ItemLookups, _ index: Index
  ) throws(IndexError) {
    guard let kind = MediaKind(rawValue: UInt8(truncatingIfNeeded: row.kind)),
      let packed = PackedRecord(packed: row.record, withSources: shown.showsSources)
    else { throw .damaged }
    let flags = ItemFlags(rawValue: row.flags)
    beginObject()
    field("path", shown.path, digits: "pathBytes")
    if shown.names.count > 1 { paths("names", shown.names, digits: "namesBytes") }
    field("kind", kind.word)
    field("size", max(0, row.size))
    if let modified = WallTime(seconds: packed.modified) {
      name("modified")
      time(modified, offset: nil, isUniversal: true)
    }
    taken(row, packed)
    if shown.showsSources { try zone(row.place, packed, shown.homeZone, &lookups, index) }
    if packed.width > 0, packed.height > 0 {
      field("width", Int64(packed.width))
      field("height", Int64(packed.height))
    }
    if let position = row.position {
      field("latitude", position.latitude, decimals: 7)
      field("longitude", position.longitude, decimals: 7)
    }
    field("altitude", packed.altitude)
    if let place = row.place, let text = try lookups.placeText(place, in: index) {
      name("place")
      value(written: text)
    }
    try camera(row, packed, &lookups, index)
    field("duration", row.duration, decimals: 3)
    try term("codec", packed.codec, &lookups, index)
    field("frameRate", packed.frameRate)
    try words(row.rating, packed, flags, &lookups, index)
    for own in try index.ownFields(of: row.inode, flags) {
      name(own: own.name)
      value(own.text)
    }
    links(row, packed, flags, shown)
    if let comparison = shown.comparison { compared(by: comparison) }
    if shown.showsSources { sources(packed.sources) }
    endObject()
  }

  private mutating func paths(_ name: StaticString, _ paths: [[UInt8]], digits: StaticString) {
    self.name(name)
    beginArray()
    for path in paths { value(bytes: path) }
    endArray()
    if paths.allSatisfy(Self.isUTF8) { return }
    self.name(digits)
    beginArray()
    for path in paths { value(digitsOf: path) }
    endArray()
  }

  private mutating func compared(by comparison: ShownItem.Comparison) {
    field("ownFacts", Int64(comparison.ownFacts))
    if let look = comparison.look {
      field("look", digitsOf: (0..<8).reversed().map { UInt8(truncatingIfNeeded: look >> (8 * UInt64($0))) })
    }
    if !comparison.sidecars.isEmpty { paths("sidecars", comparison.sidecars, digits: "sidecarsBytes") }
  }

  private mutating func taken(_ row: borrowing Timeline, _ packed: PackedRecord) {
    guard let seconds = row.taken, let source = packed.timeSource,
      let wall = WallTime(
        seconds: seconds, nanoseconds: UInt32(clamping: row.fraction),
        precision: ItemFlags(rawValue: row.flags).precision(recorded: packed.precision))
    else { return }
    let isZoned = packed.zoneSource != nil
    name("taken")
    time(wall, offset: isZoned ? packed.offset : nil, isUniversal: false)
    field("takenSource", source.word)
    if packed.offset != nil { field("zoneSource", packed.zoneSource?.word) }
  }

  /// Writes the name of the zone if the place or the space's home zone gave it.
  private mutating func zone(
    _ place: Int64?, _ packed: PackedRecord, _ homeZone: String?, _ lookups: inout ItemLookups, _ index: Index
  ) throws(IndexError) {
    switch packed.zoneSource {
    case .home: field("zone", homeZone)
    case .gazetteer:
      guard let place, let zone = try lookups.place(place, in: index)?.zone, !zone.isEmpty else { return }
      field("zone", zone)
    default: break
    }
  }

  private mutating func camera(
    _ row: borrowing Timeline, _ packed: PackedRecord, _ lookups: inout ItemLookups, _ index: Index
  ) throws(IndexError) {
    try term("camera", row.camera, &lookups, index)
    try term("make", packed.make, &lookups, index)
    try term("model", packed.model, &lookups, index)
    try term("lens", row.lens, &lookups, index)
    field("iso", packed.iso.map { Int64($0) })
    field("exposure", packed.exposure)
    field("aperture", packed.aperture)
    field("focalLength", packed.focalLength)
  }

  private mutating func words(
    _ rating: Int64?, _ packed: PackedRecord, _ flags: ItemFlags, _ lookups: inout ItemLookups, _ index: Index
  ) throws(IndexError) {
    field("title", packed.title)
    field("caption", packed.caption)
    if rating != 0 { field("rating", rating) }
    if flags.contains(.favourite) { field("favourite", true) }
    try list("tags", packed.tags, &lookups, index)
    try list("people", packed.people, &lookups, index)
    if flags.contains(.cover) { field("cover", true) }
  }

  private mutating func links(
    _ row: borrowing Timeline, _ packed: PackedRecord, _ flags: ItemFlags, _ shown: ShownItem
  ) {
    if let stack = row.stack, let kind = packed.stackKind {
      name("stack")
      beginObject()
      field("kind", kind.word)
      field("cover", flags.contains(.stackCover))
      field("number", Int64(clamping: stack.rawValue))
      endObject()
    }
    if packed.motion != nil { field("motion", true) }
    if flags.contains(.edited) { field("edited", true) }
    if shown.isDuplicate { field("duplicate", true) }
    if !packed.sidecars.isEmpty { field("sidecar", true) }
    if packed.projection != nil { field("panorama", true) }
    if shown.isTrashed { field("trashed", true) }
    field("hash", digitsOf: row.hash)
  }

  private mutating func sources(_ sources: FieldSources) {
    name("sources")
    beginObject()
    for field in MediaField.allCases where !sources[field].isEmpty {
      name(field.word)
      beginArray()
      for source in sources[field].list { value(source.word) }
      endArray()
    }
    endObject()
  }

  private mutating func term(
    _ name: StaticString, _ term: Int64?, _ lookups: inout ItemLookups, _ index: Index
  ) throws(IndexError) {
    guard let term, let text = try lookups.quoted(term, in: index) else { return }
    self.name(name)
    value(written: text)
  }

  private mutating func list(
    _ name: StaticString, _ terms: [Int64], _ lookups: inout ItemLookups, _ index: Index
  ) throws(IndexError) {
    if terms.isEmpty { return }
    self.name(name)
    beginArray()
    for term in terms {
      if let text = try lookups.quoted(term, in: index) { value(written: text) }
    }
    endArray()
  }

  mutating func value(_ place: Place) {
    beginObject()
    field("town", place.town)
    if !place.region.isEmpty { field("region", place.region) }
    field("country", place.country)
    field("code", place.countryCode)
    endObject()
  }

  /// Writes ISO 8601 as exactly as the time is known, with the offset if that is known.
  private mutating func time(_ wall: WallTime, offset: Int32?, isUniversal: Bool) {
    beginPlain()
    let date = wall.date
    plain(UInt64(date.year), digits: 4)
    if wall.precision != .year { plain("-", date.month) }
    if !wall.precision.isPartial { plain("-", date.day) }
    if wall.precision.hasClock {
      let second = wall.secondOfDay
      plain("T", second / 3600)
      plain(":", second / 60 % 60)
      if wall.precision == .second { plain(":", second % 60) }
      if wall.nanoseconds > 0 {
        var (fraction, digits) = (Int(wall.nanoseconds), 9)
        while fraction % 10 == 0 {
          fraction /= 10
          digits -= 1
        }
        plain(".", fraction, digits: digits)
      }
      if isUniversal { plain("Z") }
      if let offset {
        let size = Int(offset.magnitude)
        plain(offset < 0 ? "-" : "+", size / 3600)
        plain(":", size / 60 % 60)
        if size % 60 != 0 { plain(":", size % 60) }
      }
    }
    endPlain()
  }
}

extension StackKind {
  /// Its name in answers.
  var word: String {
    switch self {
    case .live: "live"
    case .raw: "raw"
    case .burst: "burst"
    case .edited: "edited"
    case .manual: "manual"
    }
  }
}

extension FactSource {
  /// Its name in answers.
  package var word: String {
    switch self {
    case .override: "override"
    case .attribute: "attribute"
    case .mapping: "mapping"
    case .sidecar: "sidecar"
    case .exif: "exif"
    case .xmp: "xmp"
    case .iptc: "iptc"
    case .quickTime: "quicktime"
    case .takeout: "takeout"
    case .fileName: "name"
    case .satellite: "gps"
    case .header: "header"
    case .fileTime: "modified"
    case .pixels: "pixels"
    case .content: "content"
    case .gazetteer: "gazetteer"
    case .difference: "difference"
    case .universal: "utc"
    case .home: "home"
    }
  }
}

extension MediaField {
  /// Its name in answers.
  var word: StaticString {
    switch self {
    case .time: "taken"
    case .zone: "zone"
    case .position: "position"
    case .altitude: "altitude"
    case .place: "place"
    case .kind: "kind"
    case .dimensions: "dimensions"
    case .projection: "panorama"
    case .meanColour: "colour"
    case .perceptualHash: "look"
    case .pixelHash: "pixels"
    case .make: "make"
    case .model: "model"
    case .lens: "lens"
    case .iso: "iso"
    case .exposure: "exposure"
    case .aperture: "aperture"
    case .focalLength: "focalLength"
    case .duration: "duration"
    case .codec: "codec"
    case .frameRate: "frameRate"
    case .title: "title"
    case .caption: "caption"
    case .rating: "rating"
    case .favourite: "favourite"
    case .tags: "tags"
    case .people: "people"
    case .cover: "cover"
    case .contentIdentifier: "contentIdentifier"
    case .burstIdentifier: "burstIdentifier"
    case .motion: "motion"
    case .sidecar: "sidecar"
    case .stack: "stack"
    case .contentHash: "hash"
    case .edited: "edited"
    }
  }
}
