import AlbumsSupport
import Catalog
import Media
import TestSupport
import Testing
import Vault

@testable import Albums
@testable import Index
@testable import Library

/// Records that become rows, and rows that become records.
@Suite struct ItemRowTests {
  private func full(_ inode: UInt64) throws -> MediaItem {
    var item = MediaItem(inode: inode, kind: .heic)
    item.size = 5_000_000_000
    item.modified = -3
    let wall = try #require(WallTime(seconds: 1_565_872_496, nanoseconds: 250_000_000))
    item.taken = CapturedTime(wall: wall, source: .exif, offset: 7200, zoneSource: .gazetteer)
    item.position = Position(latitude: 48.8583701, longitude: 2.2944813)
    item.altitude = -35.5
    item.place = Place(
      id: 2_988_507, town: "Paris", region: "Île-de-France", countryCode: "FR", country: "France", zone: "Europe/Paris")
    (item.width, item.height) = (4032, 3024)
    item.projection = .equirectangular
    item.meanColour = MediaItem.Colour(red: 1, green: 2, blue: 255)
    item.perceptualHash = 0xF000_0000_0000_0001
    item.pixelHash = [9, 8, 7]
    item.camera.make = "Apple"
    item.camera.model = "iPhone 11"
    item.camera.lens = "back camera"
    item.camera.iso = 100
    item.camera.exposure = 1.0 / 3
    item.camera.aperture = 1.8
    item.camera.focalLength = 4.25
    item.video.duration = 2.5
    item.video.codec = "hevc"
    item.video.frameRate = 29.97
    item.words.title = "Title"
    item.words.caption = "Line\nand line"
    item.words.rating = 4
    item.words.isFavourite = true
    item.words.tags = ["Places/Paris", "tower"]
    item.words.people = ["Ann"]
    item.words.isCover = true
    item.links.contentIdentifier = "1234-ABCD"
    item.links.burstIdentifier = "burst"
    item.links.motion = 1000..<2_000_000_000_000
    item.links.sidecar = 77
    item.links.stack = StackMembership(stack: 12, kind: .live, isCover: true)
    item.links.isDuplicate = true
    item.links.isEdited = true
    item.contentHash = [1, 2, 3]
    for field in MediaField.allCases { item.sources[field] = FactSources(.xmp) }
    return item
  }

  private func makeIndex() throws -> Index {
    let index = try Index(space: NoPages(), creating: RootOwner(owner: 1, group: 2))
    for (parent, name, inode, kind) in [
      (1, "a", 5, 4), (5, "b.jpg", 9, 8), (1, "c.jpg", 9, 8), (1, ".Trash-7", 6, 4), (6, "t.jpg", 10, 8),
    ] {
      try index.insertDentry(
        parent: InodeNumber(rawValue: UInt64(parent)),
        DentryRecord(
          name: try #require(FileName(name)), inode: InodeNumber(rawValue: UInt64(inode)), kind: UInt8(kind),
          cookie: index.nextCookie()))
    }
    var media = MediaRecord(inode: InodeNumber(rawValue: 9), state: .known)
    media.hash = [1, 2, 3]
    try index.media.setMedia(media)
    return index
  }

  private func place(_ index: Index, _ inode: UInt64) throws -> ItemPlace {
    let names = try index.catalog.names(of: InodeNumber(rawValue: inode), limit: 9).map { ($0.parent, $0.name.bytes) }
    return ItemPlace(names: names, rights: ItemRights(mode: 0o100640, owner: 1000, group: 100, mayHaveList: true))
  }

  @Test func aRecordComesBackWhole() throws {
    let index = try makeIndex()
    let item = try full(9)
    try index.catalog.setMediaItem(
      item, at: place(index, 9), found: [1], version: Int64(MediaItem.factsVersion), sidecars: [77], stackWord: "w")
    var lookups = ItemLookups()
    let read = try #require(try index.catalog.mediaItem(InodeNumber(rawValue: 9), &lookups))
    #expect(read == item)
    let row = try #require(try index.catalog.item(InodeNumber(rawValue: 9)))
    #expect(PackedRecord(packed: row.record)?.stackWord == "w")
    #expect(try index.catalog.text(ofTerm: row.rights).flatMap(ItemRights.init(term:))?.mode == 0o640)
  }

  /// Programs that know no months and years find a day in the record.
  @Test(arguments: [WallTime(year: 1953), WallTime(year: 1953, month: 7)])
  func aTimeThatIsKnownInPartComesBack(wall: WallTime?) throws {
    let index = try makeIndex()
    var item = MediaItem(inode: 9, kind: .jpeg)
    item.taken = CapturedTime(wall: try #require(wall), source: .xmp)
    try index.catalog.setMediaItem(item, at: place(index, 9), found: [], version: Int64(MediaItem.factsVersion))
    var lookups = ItemLookups()
    #expect(try index.catalog.mediaItem(InodeNumber(rawValue: 9), &lookups)?.taken == item.taken)
    let row = try #require(try index.catalog.item(InodeNumber(rawValue: 9)))
    #expect(PackedRecord(packed: row.record)?.precision == .day && row.taken == item.taken?.wall.seconds)
  }

  @Test func aRecordOfNothingComesBack() throws {
    let index = try makeIndex()
    let item = MediaItem(inode: 10, kind: .png)
    try index.catalog.setMediaItem(item, at: place(index, 10), found: [], version: Int64(MediaItem.factsVersion))
    var lookups = ItemLookups()
    #expect(try index.catalog.mediaItem(InodeNumber(rawValue: 10), &lookups) == item)
  }

  /// What is stored again, or deleted, leaves no tags behind.
  @Test func tagsGoWithTheRow() throws {
    let index = try makeIndex()
    var item = try full(9)
    let version = Int64(MediaItem.factsVersion)
    try index.catalog.setMediaItem(item, at: place(index, 9), found: [], version: version)
    item.words.tags = ["tower"]
    item.words.people = []
    try index.catalog.setMediaItem(item, at: place(index, 9), found: [], version: version)
    func tags() throws -> [String] {
      let all = try index.connection.prepare("SELECT tag FROM item_tag").rows { (row) throws(IndexError) in
        row.integer(0)
      }
      return try all.compactMap { try index.catalog.text(ofTerm: $0) }
    }
    #expect(try tags() == ["tower"])
    try index.catalog.deleteMediaItem(InodeNumber(rawValue: 9))
    #expect(try tags() == [])
  }

  /// Bytes that nobody wrote are no record, and never trap.
  @Test func damagedRecordsAreNone() throws {
    let index = try makeIndex()
    try index.catalog.setMediaItem(try full(9), at: place(index, 9), found: [], version: 1)
    let record = try #require(try index.catalog.item(InodeNumber(rawValue: 9))).record
    #expect(PackedRecord(packed: record)?.packed == record)
    for end in 0..<record.count {
      if let part = PackedRecord(packed: Array(record[..<end])) { #expect(part.packed == Array(record[..<end])) }
    }
    var random = TestLength.generator()
    for _ in 0..<20_000 {
      var bytes = record
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let read = PackedRecord(packed: bytes) { #expect(read.packed == bytes) }
    }
  }

  @Test(arguments: [
    (".Trash-1000/files/a.jpg", true), (".Trash/1000/files/a", true), (".Trash-1000", true), (".Trashes/a", false),
    (".Trash-x/a", false), (".Trash-/a", false), ("a/.Trash-1000/b", false), ("a", false), ("", false),
  ])
  func trash(path: String, isTrash: Bool) {
    #expect(TrashFolder.contains(path: path.utf8) == isTrash)
  }
}

/// A store that is empty and stays so; what an index writes stays in the index's memory.
private final class NoPages: PageStore {
  let databasePageCount: UInt32 = 0

  func readPage(_ number: PageNumber, into page: UnsafeMutableRawBufferPointer) throws(VaultError) {
    throw .damaged("page \(number.rawValue)")
  }
}
