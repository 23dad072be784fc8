import AlbumsSupport
import Catalog
import FaultyStorage
import Index
import Media
import Testing
import Vault

@testable import Albums
@testable import Library

/// A space whose catalog was filled by hand with photos that differ in everything that questions compare.
final class CatalogLibrary {
  let vault: TestVault
  var files: FileSystem { vault.files }
  private(set) var folders: [InodeNumber] = [.root]
  private(set) var photos: [InodeNumber] = []
  private var numbers: SeededGenerator
  private var made = 0

  static let paris = Place(
    id: 2_988_507, town: "Paris", region: "Île-de-France", countryCode: "FR", country: "France", zone: "Europe/Paris")
  static let tokyo = Place(
    id: 1_850_147, town: "Tokyo", region: "", countryCode: "JP", country: "Japan", zone: "Asia/Tokyo")

  init(seed: UInt64 = 1, photos count: Int = 0) throws {
    // No segment goes, so that no moment ends but where a test wants it.
    vault = try TestVault { $0.cleans = false }
    numbers = SeededGenerator(seed: seed)
    for name in ["2019", "Paris", "été", ".Trash", ".Trash-1000", ".Trash-x"] { folders.append(try files.folder(name)) }
    for (name, parent) in [("Paris", 1), ("lake house", 1), ("files", 4), ("2019", 2)] {
      folders.append(try files.folder(name, in: folders[parent]))
    }
    for _ in 0..<count { try addRandom() }
  }

  func chance(_ one: Int, of all: Int) -> Bool { Int.random(in: 0..<all, using: &numbers) < one }

  func pick<Value>(_ values: [Value]) -> Value {
    guard let value = values.randomElement(using: &numbers) else { fatalError("nothing to pick") }
    return value
  }

  func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }

  /// Makes a file, and gives it facts.
  @discardableResult
  func add(
    _ name: String, in folder: InodeNumber = .root, mode: UInt32 = 0o644, _ adjust: (inout MediaItem) -> Void = { _ in }
  ) throws -> InodeNumber {
    let inode = try files.make(name, in: folder, mode: mode)
    var item = MediaItem(inode: inode.rawValue, kind: .jpeg)
    adjust(&item)
    try store(item)
    photos.append(inode)
    return inode
  }

  /// Stores facts of a file with its names and rights as they are now.
  func store(_ item: MediaItem) throws {
    let inode = InodeNumber(rawValue: item.inode)
    let attributes = try files.attributes(of: inode)
    // The row has no texts of these.
    let fields = "user.agonyfs.fields"
    if item.words.fields.isEmpty {
      try? files.removeExtendedAttribute(Array(fields.utf8), of: inode)
    } else {
      try files.setAttribute(fields, of: inode, to: OwnField.value(item.words.fields))
    }
    try files.locked { files in
      let names = try files.index.catalog.names(of: inode, limit: 100).map { ($0.parent, $0.name.bytes) }
      let hasList = try files.index.attributes.value(named: AccessControlList.accessName, of: inode) != nil
      let rights = ItemRights(
        mode: attributes.mode, owner: attributes.owner, group: attributes.group, mayHaveList: hasList)
      if let hash = item.contentHash {
        var media = MediaRecord(inode: inode, state: .known)
        media.hash = hash
        try files.index.media.setMedia(media)
      }
      try files.index.catalog.setMediaItem(
        item, at: ItemPlace(names: names, rights: rights), found: [], version: Int64(MediaItem.factsVersion),
        sidecars: item.links.sidecar.map { [Int64(bitPattern: $0)] } ?? [])
      // Nothing else says what these facts say, so they are not to be merged again.
      try files.index.catalog.removeStale(inode, .merge)
    }
  }

  /// The facts of a photo, with all its names.
  func item(_ inode: InodeNumber) throws -> MediaItem? {
    try files.locked { files in try files.index.catalog.namedItem(inode) }
  }

  /// A photo with random facts, sometimes with several names.
  @discardableResult
  func addRandom() throws -> InodeNumber {
    made += 1
    let name = pick(["IMG_\(made).jpg", "Tower at night \(made).JPG", "été\(made)", "\(made) paris.png", "x\(made)*"])
    let inode = try files.make(name, in: pick(folders))
    while chance(1, of: 6) {
      made += 1
      _ = try files.link(inode, named: .of("second name \(made)"), in: pick(folders))
    }
    try store(random(inode.rawValue))
    if chance(1, of: 3) { try files.ageRow(of: inode) }
    photos.append(inode)
    return inode
  }

  /// Takes a photo away, with all names.
  func remove(_ inode: InodeNumber) throws {
    for (parent, name) in try files.locked({ try $0.index.catalog.names(of: inode, limit: 100) }) {
      try files.unlink(name, in: parent)
    }
    try files.locked { try $0.index.catalog.deleteMediaItem(inode) }
    photos.removeAll { $0 == inode }
  }

  private func random(_ inode: UInt64) -> MediaItem {
    var item = MediaItem(inode: inode, kind: pick(MediaKind.catalogued))
    item.size = UInt64(number(0...3)) * 5 << 20
    if chance(3, of: 4) {
      let wall = WallTime(
        seconds: Int64(number(-2...40)) * 40_000_000 + Int64(number(0...1)), nanoseconds: UInt32(number(0...1)),
        precision: pick([.day, .second, .second, .second, .month, .year]))
      item.taken = wall.map {
        chance(1, of: 2)
          ? CapturedTime(wall: $0, source: .exif, offset: 3600, zoneSource: .exif)
          : CapturedTime(wall: $0, source: pick([.fileName, .fileTime]))
      }
    }
    if chance(1, of: 2) { item.words.rating = number(-1...5) }
    if chance(1, of: 3) { item.video.duration = Double(number(0...4)) * 30.25 }
    if chance(1, of: 3) { item.video.codec = pick(["h264", "hevc"]) }
    item.words.tags = TagList.normal(
      (0..<number(0...2)).map { _ in pick(["A", "a", "é", "E\u{301}", "x \"y\\", "p/q", "Places/Paris", "tower"]) })
    item.words.people = TagList.normal((0..<number(0...2)).map { _ in pick(["Bob", "BOB", "Zoë Paris"]) })
    if chance(1, of: 2) {
      item.place = pick([Self.paris, Self.tokyo])
      item.position = Position(
        latitude: 48.85 + Double(number(-5...5)) / 50, longitude: chance(1, of: 4) ? 179.99 : 2.35)
    }
    if chance(1, of: 2) { item.camera.model = pick(["X1", "x1", "Y*2", "Canon EOS 5D"]) }
    if chance(1, of: 3) { item.camera.make = pick(["Canon", "Sony"]) }
    if chance(1, of: 2) { item.camera.lens = pick(["L 1", "l 2", "EF24-70mm f/2.8L"]) }
    if chance(1, of: 3) { item.camera.iso = pick([100, 800]) }
    if chance(1, of: 3) { item.words.title = pick(["Tower at night", "tower", "Ein See", "paris 2019"]) }
    if chance(1, of: 3) { item.words.caption = pick(["At the lake", "night tower", ""]) }
    if chance(1, of: 3) {
      item.words.fields = OwnField.list(
        in: Array(pick(["customer=Acme 7", "Customer=paris\napproval=yes", "approval=Acme tower"]).utf8))
    }
    if chance(1, of: 3) { (item.width, item.height) = (pick([1000, 4000]), 3000) }
    if chance(1, of: 4) { item.altitude = Double(number(0...3000)) }
    if chance(1, of: 5) { item.projection = .equirectangular }
    if chance(1, of: 2) { item.contentHash = [0x1A, UInt8(number(0...3)) << 4 | 0x0B, 3] }
    item.words.isFavourite = chance(1, of: 4)
    item.words.isCover = chance(1, of: 8)
    item.links.isDuplicate = chance(1, of: 6)
    item.links.isEdited = chance(1, of: 6)
    if chance(1, of: 6) { item.links.motion = 1..<9 }
    if chance(1, of: 4) { item.links.sidecar = 77 }
    if let other = photos.randomElement(using: &numbers), chance(1, of: 4) {
      item.links.stack = StackMembership(stack: other.rawValue, kind: pick(StackKind.allCases), isCover: false)
    } else if chance(1, of: 4) {
      item.links.stack = StackMembership(stack: inode, kind: pick(StackKind.allCases), isCover: true)
    }
    return item
  }

  /// Texts of single conditions; some of each field.
  static let conditions = [
    "paris", "tower", "\"at night\"", "tow*", "2019", "été", "img", "img_1*", "bob", "\"tower at\"", "nothing",
    "france",
    "name:img", "name:*.jpg", "name:=été1", "name:\"at night\"", "title:tower", "title:*", "title:=tower",
    "caption:lake",
    "x.customer:acme", "x.customer:=paris", "x.approval:*", "x.approval:tow*", "has:x.customer",
    "has:x.approval", "acme",
    "caption:*", "person:bob", "person:=\"Zoë Paris\"", "camera:canon", "camera:x1", "camera:y*", "camera:=\"Y*2\"",
    "lens:l", "lens:*24-70*", "place:paris", "place:=\"Tokyo, Japan\"", "tag:a", "tag:p", "tag:=p", "tag:p/q", "tag:*",
    "tag:places/paris", "region:*", "region:île-de-france", "country:fr", "country:japan", "codec:h26*", "album:paris",
    "album:2019/paris", "album:/2019", "album:=2019", "album:=/", "album:l*", "type:photo", "type:video",
    "type:jpeg|heic",
    "is:favourite", "is:stacked", "is:live", "is:motion", "is:burst", "is:raw", "is:duplicate", "is:edited",
    "is:panorama", "is:cover", "is:rejected", "is:trashed", "has:time", "has:month", "has:day", "has:zone", "has:gps",
    "has:altitude",
    "has:place", "has:title", "has:caption", "has:tags", "has:people", "has:rating", "has:camera", "has:lens",
    "has:sidecar", "date:1970", "date:2000..", "date:..1990-05", "date:*-08", "date:*-04-05", "date:*-01",
    "date:*-01-01", "date:..1990",
    "date:1977-11..1990", "before:1986-01-02", "date:>1999", "rating:0",
    "rating:>=3", "rating:-1", "size:>6M", "size:5M", "size:<1M", "width:>2000", "megapixels:<5", "duration:<60s",
    "duration:30.25", "duration:>=30.25", "iso:800", "altitude:>1km", "near:48.85,2.35,5km", "near:48.85,-179.99,50km",
    "near:90,0,5000km", "hash:1a1b", "hash:1a0b0", "hash:1a0b03",
  ]

  /// A query of up to three levels.
  func randomQuery() throws -> Query {
    var text = pick(Self.conditions)
    for _ in 0..<pick([0, 0, 1, 1, 2, 3]) {
      let other = pick(Self.conditions)
      switch number(0...4) {
      case 0: text += " \(other)"
      case 1: text += " -\(other)"
      case 2: text = "(\(text)) | \(other)"
      case 3: text = "-(\(text)) \(other)"
      default: text = "(\(text)) (\(other) | \(pick(Self.conditions)))"
      }
    }
    return chance(1, of: 12) ? .all : try QueryParser.parse(text)
  }
}
