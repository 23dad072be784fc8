import Media

@testable import Catalog

/// The photos of the article on the query language.
enum Library {
  static let letters = "ABCDEFGHIJ"
  static let paris = Place(
    id: 2_988_507, town: "Paris", region: "Île-de-France", countryCode: "FR", country: "France", zone: "Europe/Paris")
  static let tokyo = Place(
    id: 1_850_147, town: "Tokyo", region: "Tokyo", countryCode: "JP", country: "Japan", zone: "Asia/Tokyo")

  static func letter(_ item: MediaItem) -> String {
    String(letters[letters.index(letters.startIndex, offsetBy: Int(item.inode) - 1)])
  }

  static let items: [MediaItem] = {
    var a = item(1, "2019/Paris/IMG_1234.jpg", .jpeg, "2019-07-14T21:30:05+02:00", 6000, 4000, 13_002_342)
    canon(&a)
    a.place = paris
    a.words.rating = 4
    a.words.isFavourite = true
    a.words.title = "Eiffel Tower at night"
    a.words.tags = TagList.normal(["Places/Paris", "Fireworks"])
    a.words.people = ["Anna Schmidt"]
    a.links.stack = StackMembership(stack: 1, kind: .raw, isCover: true)

    var b = item(2, "2019/Paris/IMG_1234.CR2", .raw, "2019-07-14T21:30:05+02:00", 6000, 4000, 30 << 20)
    canon(&b)
    b.place = paris
    b.links.stack = StackMembership(stack: 1, kind: .raw, isCover: false)
    b.links.sidecar = 100

    var c = item(3, "2019/Paris/clip.mp4", .mp4, "2019-07-15T10:00:00+02:00", 1920, 1080, 150 << 20)
    c.place = paris
    c.video.duration = 95
    c.video.codec = "h264"
    c.video.frameRate = 30

    var d = item(4, "2024/Holiday/IMG-20240815-WA0001.jpg", .jpeg, nil, 1600, 1200, 300 << 10)
    d.taken = NameTime.candidate(name: d.names[0].name).flatMap { CapturedTime.resolve([$0]) }
    d.words.caption = "At the lake"
    d.words.fields = OwnField.list(in: Array("Client=Lake House\napproval=4711 by letter".utf8))

    var e = item(5, "2024/Holiday/IMG_2000.HEIC", .heic, "2024-08-16T12:00:00+09:00", 4032, 3024, 2 << 20)
    e.place = tokyo
    e.camera.make = "Apple"
    e.camera.model = "iPhone 15"
    e.words.rating = 5
    e.words.people = ["Anna Schmidt", "Bob"]
    e.words.isCover = true
    e.links.stack = StackMembership(stack: 5, kind: .live, isCover: true)

    var f = item(6, "2024/Holiday/IMG_2000.MOV", .quickTime, "2024-08-16T12:00:00+09:00", 1920, 1440, 5 << 20)
    f.place = tokyo
    f.video.duration = 2.8
    f.video.codec = "hevc"
    f.video.frameRate = 60
    f.links.stack = StackMembership(stack: 5, kind: .live, isCover: false)

    var g = item(7, "scans/old.tif", .tiff, nil, 3000, 2000, 18 << 20)
    g.words.tags = ["Family"]
    g.contentHash = [0x1A, 0x2B, 0x3C, 0x4D, 0x5E, 0x6F, 0x70, 0x81]
    g.links.isDuplicate = true
    var h = g
    h.inode = 8
    h.names = [ItemName("scans/old copy.tif")]
    h.words.rating = -1

    var i = item(9, ".Trash-1000/files/gone.jpg", .jpeg, "2020-02-29T08:00:00", 640, 480, 40 << 10)
    i.isTrashed = true

    var j = item(10, "Alps/PXL_20231224_170000123.jpg", .jpeg, "2023-12-24T18:00:00+01:00", 4080, 3072, 4 << 20)
    j.position = Position(latitude: 45.8326, longitude: 6.8652)
    j.altitude = 2500
    j.links.motion = 3_000_000..<4_194_304
    j.projection = .cylindrical
    j.links.isEdited = true
    j.links.stack = StackMembership(stack: 10, kind: .burst, isCover: true)
    return [a, b, c, d, e, f, g, h, i, j]
  }()

  private static func item(
    _ inode: UInt64, _ path: String, _ kind: MediaKind, _ time: String?, _ width: Int, _ height: Int, _ size: UInt64
  ) -> MediaItem {
    var item = MediaItem(inode: inode, names: [ItemName(path)], kind: kind)
    item.taken = time.flatMap { captured($0) }
    item.width = width
    item.height = height
    item.size = size
    return item
  }

  private static func canon(_ item: inout MediaItem) {
    item.position = Position(latitude: 48.8584, longitude: 2.2945)
    item.camera.make = "Canon"
    item.camera.model = "Canon EOS 5D"
    item.camera.lens = "EF24-70mm f/2.8L"
    item.camera.iso = 800
    item.camera.exposure = 0.004
    item.camera.aperture = 2.8
    item.camera.focalLength = 50
  }
}
