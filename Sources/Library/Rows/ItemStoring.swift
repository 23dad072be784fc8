package import Catalog
package import Index
internal import Media
internal import System
package import Vault

/// The part of a catalog row that describes the file, not the photo.
package struct ItemPlace: Sendable {
  /// All names, by directory and bytes.
  package var names: [(parent: InodeNumber, name: [UInt8])]
  /// The rights to read it.
  package var rights: ItemRights

  /// Takes both.
  package init(names: [(parent: InodeNumber, name: [UInt8])], rights: ItemRights) {
    self.names = names
    self.rights = rights
  }
}

/// The rights to read a file; many files share the same.
package struct ItemRights: Hashable, Sendable {
  /// The lowest nine bits.
  package var mode: UInt32
  package var owner: UInt32
  package var group: UInt32
  /// Whether it may have an access control list, which then decides.
  package var mayHaveList: Bool

  /// Takes all four.
  package init(mode: UInt32, owner: UInt32, group: UInt32, mayHaveList: Bool) {
    self.mode = mode & 0o777
    self.owner = owner
    self.group = group
    self.mayHaveList = mayHaveList
  }

  /// The rights as a term.
  package var term: String { "\(String(mode, radix: 8)) \(owner) \(group) \(mayHaveList ? 1 : 0)" }

  /// Reads a term; nil if it is malformed.
  package init?(term: String) {
    let parts = term.split(separator: " ")
    guard parts.count == 4, let mode = UInt32(parts[0], radix: 8), let owner = UInt32(parts[1]),
      let group = UInt32(parts[2]), parts[3] == "0" || parts[3] == "1"
    else { return nil }
    self.init(mode: mode, owner: owner, group: group, mayHaveList: parts[3] == "1")
  }
}

extension CatalogTables {
  /// Stores a record as a row, with its words, tags and people.
  ///
  /// - Parameters:
  ///   - found: the decoder's facts, and their version.
  ///   - sidecars: the inodes of the sidecars that belong to it.
  ///   - stackWord: the user's decision about its stack.
  package func setMediaItem(
    _ item: MediaItem, at place: ItemPlace, found: [UInt8], version: Int64, sidecars: [Int64] = [],
    stackWord: String? = nil
  ) throws(IndexError) {
    let number = InodeNumber(rawValue: item.inode)
    let old = try self.item(number).flatMap { PackedRecord(packed: $0.record) }
    var item = item
    item.links.sidecar = sidecars.first.map { UInt64(bitPattern: $0) }
    var packed = try pack(item)
    packed.sidecars = sidecars
    packed.stackWord = stackWord
    var row = ItemRecord(inode: number)
    row.version = version
    row.album = place.names.first?.parent
    row.name = place.names.first?.name ?? []
    row.names = Int64(place.names.count)
    row.taken = item.taken?.wall.seconds
    row.fraction = Int64(item.taken?.wall.nanoseconds ?? 0)
    row.kind = Int64(item.kind.rawValue)
    row.flags = ItemFlags(item).rawValue
    row.rating = item.words.rating.flatMap { $0 == 0 ? nil : Int64($0) }
    row.size = Int64(clamping: item.size)
    row.rights = try makeTerm(.rights, place.rights.term)
    row.place = try optionalTerm(.place, item.place?.term)
    row.camera = try optionalTerm(.camera, item.camera.name)
    row.lens = try optionalTerm(.lens, item.camera.lens)
    row.duration = item.video.duration.flatMap { Int64(exactly: (min($0, 1e12) * 1000).rounded()) }
    row.latitude = item.position.map { Int64(($0.latitude * 1e7).rounded()) }
    row.longitude = item.position.map { Int64(($0.longitude * 1e7).rounded()) }
    row.look = item.perceptualHash.map { Int64(bitPattern: $0) }
    row.pixels = item.pixelHash
    row.stack = item.links.stack.map { InodeNumber(rawValue: $0.stack) }
    row.found = found
    row.record = packed.packed
    // All texts except the paths of albums, because renaming an album would change them for all its photos.
    let texts = place.names.map { String(decoding: $0.name, as: UTF8.self) } + item.textsBesideNames
    try setItem(
      row, words: FullText.document(texts), tags: packed.tags + packed.people,
      replacing: (old?.tags ?? []) + (old?.people ?? []))
  }

  /// Removes the row of a file with everything that belongs to it.
  package func deleteMediaItem(_ inode: InodeNumber) throws(IndexError) {
    guard let row = try item(inode) else { return }
    let packed = PackedRecord(packed: row.record)
    try deleteItem(inode, tags: (packed?.tags ?? []) + (packed?.people ?? []))
  }

  private func optionalTerm(_ kind: TermKind, _ text: String?) throws(IndexError) -> Int64? {
    guard let text else { return nil }
    return try makeTerm(kind, text)
  }

  private func pack(_ item: MediaItem) throws(IndexError) -> PackedRecord {
    var packed = PackedRecord()
    packed.modified = item.modified
    if let taken = item.taken {
      packed.precision = taken.wall.precision.isPartial ? .day : taken.wall.precision
      packed.timeSource = taken.source
      packed.offset = taken.offset
      packed.zoneSource = taken.zoneSource
    }
    packed.altitude = item.altitude
    packed.width = item.width
    packed.height = item.height
    packed.projection = item.projection
    packed.meanColour = item.meanColour
    packed.make = try optionalTerm(.device, item.camera.make)
    packed.model = try optionalTerm(.device, item.camera.model)
    packed.iso = item.camera.iso
    packed.exposure = item.camera.exposure
    packed.aperture = item.camera.aperture
    packed.focalLength = item.camera.focalLength
    packed.codec = try optionalTerm(.codec, item.video.codec)
    packed.frameRate = item.video.frameRate
    packed.title = item.words.title
    packed.caption = item.words.caption
    for tag in item.words.tags { packed.tags.append(try makeTerm(.tag, tag)) }
    for person in item.words.people { packed.people.append(try makeTerm(.person, person)) }
    packed.contentIdentifier = item.links.contentIdentifier
    packed.burstIdentifier = item.links.burstIdentifier
    packed.motion = item.links.motion
    packed.stackKind = item.links.stack?.kind
    packed.sources = item.sources
    return packed
  }
}
