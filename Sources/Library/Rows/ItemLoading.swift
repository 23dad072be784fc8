// Reads rows of the catalog as records.

package import Catalog
package import Index
internal import Media
internal import System
package import Vault

/// Texts and places that many records share, each looked up once.
package struct ItemLookups {
  /// Places, and texts, that are kept at most.
  private static let mostTexts = 4096

  private var places: [Int64: Place?] = [:]
  private var texts: [Int64: String?] = [:]
  /// Values as JSON.
  private var quotedTexts: [Int64: [UInt8]?] = [:]

  /// An empty cache.
  package init() {}

  mutating func text(_ term: Int64?, in index: Index) throws(IndexError) -> String? {
    guard let term else { return nil }
    if let found = texts[term] { return found }
    let text = try index.catalog.text(ofTerm: term)
    if texts.count >= Self.mostTexts { texts.removeAll() }
    texts[term] = .some(text)
    return text
  }

  mutating func texts(_ terms: [Int64], in index: Index) throws(IndexError) -> [String] {
    var texts: [String] = []
    for term in terms { if let text = try text(term, in: index) { texts.append(text) } }
    return texts
  }

  /// The text of a term, as JSON.
  mutating func quoted(_ term: Int64, in index: Index) throws(IndexError) -> [UInt8]? {
    if let found = quotedTexts[term] { return found }
    return keep(try index.catalog.text(ofTerm: term), as: term) { $0.value($1) }
  }

  /// The place in a term, as JSON.
  mutating func placeText(_ term: Int64, in index: Index) throws(IndexError) -> [UInt8]? {
    if let found = quotedTexts[term] { return found }
    return keep(try place(term, in: index), as: term) { $0.value($1) }
  }

  private mutating func keep<Value>(
    _ value: Value?, as term: Int64, _ write: (inout JSONText, Value) -> Void
  ) -> [UInt8]? {
    var text = JSONText()
    if let value { write(&text, value) }
    if quotedTexts.count >= Self.mostTexts { quotedTexts.removeAll() }
    let bytes = value == nil ? nil : text.bytes
    quotedTexts[term] = .some(bytes)
    return bytes
  }

  mutating func place(_ term: Int64, in index: Index) throws(IndexError) -> Place? {
    if let found = places[term] { return found }
    let place = try index.catalog.text(ofTerm: term).flatMap(Place.init(term:))
    if places.count >= Self.mostTexts { places.removeAll() }
    places[term] = .some(place)
    return place
  }
}

/// Trash folders (freedesktop's trash specification).
package enum TrashFolder {
  /// Whether a path from the root is a trash folder, or inside one.
  package static func contains(path: some Sequence<UInt8>) -> Bool {
    let first = path.prefix { $0 != UInt8(ascii: "/") }
    let name = Array(".Trash".utf8)
    guard first.starts(with: name) else { return false }
    let rest = first.dropFirst(name.count)
    return rest.isEmpty
      || rest.first == UInt8(ascii: "-") && rest.count > 1
        && rest.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }
}

extension CatalogTables {
  /// All facts that the catalog has about a file, except its names; nil if it lacks a row.
  package func mediaItem(_ inode: InodeNumber, _ lookups: inout ItemLookups) throws(IndexError) -> MediaItem? {
    guard let row = try item(inode) else { return nil }
    return try mediaItem(row, &lookups)
  }

  /// The record of a row, without names.
  ///
  /// - Throws: `.damaged` if the row makes no sense.
  package func mediaItem(_ row: ItemRecord, _ lookups: inout ItemLookups) throws(IndexError) -> MediaItem {
    guard let kind = MediaKind(rawValue: UInt8(truncatingIfNeeded: row.kind)),
      let packed = PackedRecord(packed: row.record)
    else { throw .damaged }
    var item = MediaItem(inode: row.inode.rawValue, kind: kind)
    let flags = ItemFlags(rawValue: row.flags)
    item.size = UInt64(clamping: row.size)
    item.modified = packed.modified
    if let seconds = row.taken, let source = packed.timeSource,
      let wall = WallTime(
        seconds: seconds, nanoseconds: UInt32(clamping: row.fraction),
        precision: flags.precision(recorded: packed.precision))
    {
      item.taken =
        if let offset = packed.offset, let zone = packed.zoneSource {
          CapturedTime(wall: wall, source: source, offset: offset, zoneSource: zone)
        } else {
          CapturedTime(wall: wall, source: source)
        }
    }
    if let latitude = row.latitude, let longitude = row.longitude {
      item.position = Position(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
    }
    item.altitude = packed.altitude
    if let place = row.place { item.place = try lookups.place(place, in: index) }
    item.width = packed.width
    item.height = packed.height
    item.projection = packed.projection
    item.meanColour = packed.meanColour
    item.perceptualHash = row.look.map { UInt64(bitPattern: $0) }
    item.pixelHash = row.pixels
    item.camera.make = try lookups.text(packed.make, in: index)
    item.camera.model = try lookups.text(packed.model, in: index)
    item.camera.lens = try lookups.text(row.lens, in: index)
    item.camera.iso = packed.iso
    item.camera.exposure = packed.exposure
    item.camera.aperture = packed.aperture
    item.camera.focalLength = packed.focalLength
    item.video.duration = row.duration.map { Double($0) / 1000 }
    item.video.codec = try lookups.text(packed.codec, in: index)
    item.video.frameRate = packed.frameRate
    item.words.title = packed.title
    item.words.caption = packed.caption
    item.words.rating = row.rating.map { Int(truncatingIfNeeded: $0) }
    item.words.isFavourite = flags.contains(.favourite)
    item.words.tags = try lookups.texts(packed.tags, in: index)
    item.words.people = try lookups.texts(packed.people, in: index)
    item.words.fields = try index.ownFields(of: row.inode, flags)
    item.words.isCover = flags.contains(.cover)
    item.links.contentIdentifier = packed.contentIdentifier
    item.links.burstIdentifier = packed.burstIdentifier
    item.links.motion = packed.motion
    item.links.sidecar = packed.sidecars.first.map { UInt64(bitPattern: $0) }
    if let stack = row.stack, let kind = packed.stackKind {
      item.links.stack = StackMembership(stack: stack.rawValue, kind: kind, isCover: flags.contains(.stackCover))
    }
    item.links.isDuplicate = flags.contains(.duplicate)
    item.links.isEdited = flags.contains(.edited)
    item.contentHash = try contentHash(of: row.inode)
    item.sources = packed.sources
    return item
  }
}
