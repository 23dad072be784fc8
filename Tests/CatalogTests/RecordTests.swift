import Media
import TestSupport
import Testing

@testable import Catalog

@Suite struct RecordTests {
  /// The order in which sources are read does not matter.
  @Test(arguments: TestLength.seedArguments(30)) func anyOrderOfOffersGivesTheSame(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    typealias Offer = @Sendable (inout MediaItem) -> Void
    var offers: [Offer] = []
    for source in FactSource.allCases where numbers.chance(1, of: 2) {
      let text = "\(source)"
      offers.append { $0.offer(text, for: .title, at: \.words.title, from: source) }
      offers.append { $0.offer(Int(source.rawValue), for: .iso, at: \.camera.iso, from: source) }
      offers.append { $0.offer(rating: Int(source.rawValue) % 6, from: source) }
      offers.append { $0.offer(tags: [text, "common"], from: source) }
      offers.append { $0.offer(people: [text], from: source) }
      offers.append { $0.offer(true, for: .favourite, at: \.words.isFavourite, from: source) }
      offers.append { $0.offer(nil, for: .lens, at: \.camera.lens, from: source) }
    }
    func made(_ offers: [Offer]) -> MediaItem {
      var item = MediaItem(inode: 1, kind: .jpeg)
      for offer in offers { offer(&item) }
      return item
    }
    let item = made(offers)
    for _ in 0..<10 { #expect(made(offers.shuffled(using: &numbers)) == item) }
  }

  /// 1.0.0 knows no home zone, and refuses a record with a source that it does not know: for it the zone is UTC.
  @Test func aZoneFromHomeIsWrittenAsUTC() {
    var record = PackedRecord()
    record.timeSource = .header
    record.offset = -18_000
    record.zoneSource = .home
    record.sources[.zone] = FactSources(.home)
    var asUTC = record
    asUTC.zoneSource = .universal
    #expect(asUTC.packed == record.packed)
    #expect(PackedRecord(packed: record.packed) == record)
    #expect(PackedRecord(packed: record.packed, withSources: false)?.zoneSource == .home)
    asUTC.sources = FieldSources()
    #expect(PackedRecord(packed: asUTC.packed) == asUTC)
    // The source of the zone is the last byte. Nobody writes it otherwise.
    #expect(asUTC.packed.last == FactSource.universal.rawValue)
    #expect(PackedRecord(packed: Array(asUTC.packed.dropLast()) + [FactSource.home.rawValue]) == nil)
  }

  @Test func theFirstSourceWins() {
    var item = MediaItem(inode: 1, kind: .jpeg)
    item.offer("file", for: .title, at: \.words.title, from: .xmp)
    item.offer("sidecar", for: .title, at: \.words.title, from: .sidecar)
    item.offer("exif", for: .title, at: \.words.title, from: .exif)
    #expect(item.words.title == "sidecar")
    #expect(item.sources.first(.title) == .sidecar)
    item.offer("mine", for: .title, at: \.words.title, from: .override)
    #expect(item.words.title == "mine")
    // What was measured is not overridden, and the satellite writes no titles.
    item.offer(4000, for: .dimensions, at: \.width, from: .pixels)
    item.offer(1, for: .dimensions, at: \.width, from: .override)
    item.offer("sky", for: .caption, at: \.words.caption, from: .satellite)
    #expect(item.width == 4000)
    #expect(item.words.caption == nil)
  }

  @Test func tagsAreAUnionUntilTheUserSetsThem() {
    var item = MediaItem(inode: 1, kind: .jpeg)
    item.offer(tags: [" b ", "a", ""], from: .xmp)
    item.offer(tags: ["c", "a"], from: .iptc)
    #expect(item.words.tags == ["a", "b", "c"])
    #expect(item.sources[.tags].list == [.xmp, .iptc])
    item.offer(tags: ["only"], from: .override)
    item.offer(tags: ["d"], from: .xmp)
    #expect(item.words.tags == ["only"])
    #expect(item.sources[.tags].list == [.override])
    // No tags at all is a decision, too.
    var cleared = MediaItem(inode: 1, kind: .jpeg)
    cleared.offer(tags: [], from: .override)
    cleared.offer(tags: ["x"], from: .xmp)
    #expect(cleared.words.tags.isEmpty)
  }

  @Test func tagsThatAreTheSameToSwiftAreTwoTags() {
    let tags = TagList.normal([
      "\u{E9}", "e\u{301}", "\u{E9}", "\n x\t", "x", String(repeating: "a", count: 65_537), "a,\"b\nc",
    ])
    #expect(tags.map { Array($0.utf8) } == ["a,\"b\nc", "e\u{301}", "x", "\u{E9}"].map { Array($0.utf8) })
  }

  @Test(
    arguments: [
      (["Paris", "paris", "PARIS/x"], ["Paris", "PARIS/x"]),
      (["Paris", "Places/paris", "places/Paris"], ["Places/paris"]),
      (["A", "A/B", "B", "C/B"], ["A", "A/B", "C/B"]), (["\u{E9}", "e\u{301}", "\u{C9}"], ["\u{E9}", "e\u{301}"]),
      (["/", "//", "x/", ""], ["/", "//", "x/"]), ([], []), (["AC\\/DC", "DC", "AC"], ["AC\\/DC", "DC", "AC"]),
      (["AC\\/DC", "Music/ac\\/dc", "Music\\/AC\\/DC"], ["Music/ac\\/dc"]),
      (["Places\\/Paris", "Places/Paris"], ["Places/Paris"]),
    ] as [([String], [String])])
  func aTagIsListedOnce(tags: [String], listed: [String]) {
    #expect(TagList.distinct(tags).map { Array($0.utf8) } == listed.map { Array($0.utf8) })
  }

  @Test func aMillionTags() {
    #expect(TagList.normal((0..<1_000_000).map { "t\($0 % 500_000)" }).count == 500_000)
  }

  @Test(arguments: [(0, 0), (1, 1), (2, 1), (5, 3), (9, 5), (10, 5), (11, nil), (-1, nil)] as [(Int, Int?)])
  func halfStars(count: Int, rating: Int?) {
    var item = MediaItem(inode: 1, kind: .jpeg)
    item.offer(halfStars: count, from: .attribute)
    #expect(item.words.rating == rating)
  }

  @Test func everyFieldHasSources() {
    for field in MediaField.allCases {
      let order = FactSource.order(of: field)
      #expect(!order.isEmpty)
      #expect(Set(order).count == order.count)
      #expect(order.contains(.override))
    }
  }

  @Test(arguments: TestLength.seedArguments(20)) func sourcesArePacked(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    var sources = FieldSources()
    var model: [MediaField: FactSources] = [:]
    for _ in 0..<100 {
      guard let field = MediaField.allCases.randomElement(using: &numbers) else { return }
      let value = FactSources(rawValue: numbers.chance(1, of: 3) ? 0 : UInt32.random(in: 0 ... .max, using: &numbers))
      sources[field] = value
      model[field] = value
    }
    for field in MediaField.allCases { #expect(sources[field] == model[field] ?? []) }
    #expect(FieldSources(packed: sources.packed) == sources)
    for _ in 0..<500 {
      let damaged = numbers.damaged(sources.packed)
      if let other = FieldSources(packed: damaged) { #expect(other.packed == damaged) }
    }
    #expect(FieldSources().packed.isEmpty)
  }

  /// Unsorted, twice the same, no source, cut off, more than 32 bits.
  @Test(
    arguments: [
      [2, 1, 1, 1], [1, 1, 1, 1], [1, 0], [1, 0x80, 0], [1], [1, 0x80], [0, 1], [1, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F],
      [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1],
    ] as [[UInt8]])
  func isNotPacked(bytes: [UInt8]) { #expect(FieldSources(packed: bytes) == nil) }

  @Test func namesAreBytes() {
    let name = ItemName(path: [0x2F, 0x61, 0x2F, 0x2F, 0xFF, 0x2F, 0x62, 0x2F])
    #expect(name.path == [0x61, 0x2F, 0xFF, 0x2F, 0x62])
    #expect(Array(name.name) == [0x62])
    #expect(Array(name.album) == [0x61, 0x2F, 0xFF])
    #expect(name.albumText == "a/\u{FFFD}")
    #expect(ItemName("").name.isEmpty)
    #expect(ItemName("x").album.isEmpty)
  }

  @Test(
    arguments: [
      ("Canon", "Canon EOS 5D", "Canon EOS 5D"), ("Apple", "iPhone 15", "Apple iPhone 15"),
      ("NIKON CORPORATION", "NIKON D70", "NIKON D70"), ("LG", "LG-H815", "LG-H815"),
      ("Sony", "SonyX", "SonyX"), ("Sony Ericsson", "C905", "Sony Ericsson C905"),
      (nil, "X100", "X100"), ("Sony", nil, "Sony"), (nil, nil, nil),
    ] as [(String?, String?, String?)])
  func cameras(make: String?, model: String?, name: String?) {
    var camera = MediaItem.Camera()
    camera.make = make
    camera.model = model
    #expect(camera.name == name)
  }
}
