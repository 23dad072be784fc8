import Media
import TestSupport
import Testing

@testable import Catalog

/// How facts are stored, bounded, and offered to a record.
@Suite struct FactTests {
  static let wall = WallTime(seconds: 1_714_979_289, nanoseconds: 250_000_000)

  /// One of each subject.
  static var samples: [FactValue] {
    var list: [FactValue] = [
      .altitude(-12.5), .projection(.cubemap), .kind(.heic), .dimensions(width: 4032, height: 3024),
      .meanColour(MediaItem.Colour(red: 1, green: 2, blue: 3)), .perceptualHash(0xFEDC_BA98_7654_3210),
      .pixelDigest([UInt8](0..<32)), .make("Canon"), .model("EOS 5D"), .lens("EF24-70mm f/2.8L"), .iso(800),
      .exposure(1.0 / 3), .aperture(2.8), .focalLength(50), .duration(95.04), .codec("hevc"), .frameRate(29.97),
      .title("a \"title\", \u{E9}\n"), .caption("b"), .rating(-1), .halfStars(9), .favourite(true),
      .tags(["Places/Paris", "x,y"]), .people(["Anna"]), .contentIdentifier("A-1"), .burstIdentifier("B-2"),
      .motion(1_000_000..<2_000_000), .edited(true), .mediaName("IMG.jpg"), .mediaEnding("CR3"),
    ]
    if let wall { list += [.time(.wall(wall, offset: 7200))] }
    if let position = Position(latitude: 48.8584, longitude: -2.2945) { list.append(.position(position)) }
    return list
  }

  static func list(_ values: [FactValue], from source: FactSource = .exif) -> FactList {
    var list = FactList()
    for value in values { list.add(value, from: source) }
    return list
  }

  @Test func whatWasStoredComesBack() throws {
    #expect(Set(Self.samples.map(\.subject)).count == FactValue.Subject.allCases.count)
    for value in Self.samples {
      let list = FactList(facts: [Fact(value, from: .xmp)])
      #expect(try FactList(decoding: list.encoded) == list, "\(value)")
    }
    let list = Self.list(Self.samples)
    // Half stars are a rating, and the first one counts.
    #expect(list.facts.count == Self.samples.count - 1)
    #expect(try FactList(decoding: list.encoded) == list)
    #expect(try FactList(decoding: []).facts.isEmpty)
  }

  @Test func allKindsOfTimesAndNumbersComeBack() throws {
    let day = try #require(CivilDate(year: 1826, month: 1, day: 1))
    let minute = try #require(WallTime(seconds: WallTime.range.upperBound, precision: .minute))
    let wall = try #require(Self.wall)
    var values: [FactValue] = [
      .time(.wall(WallTime(date: day), offset: nil)), .time(.wall(minute, offset: -16 * 3600)), .time(.universal(wall)),
      .motion(0..<UInt64(Int64.max)),
    ]
    for number in [0, 0.1, 1e-9, 1.0 / 3, 123456.789, 1e6, 9_999_999, 20_000, 0.000_000_000_1] {
      values += [.duration(number), .altitude(-number / 1000)]
    }
    for value in values {
      let list = FactList(facts: [Fact(value, from: .header)])
      #expect(try FactList(decoding: list.encoded) == list, "\(value)")
    }
  }

  @Test func aPhotoTakesLittleRoom() {
    let photo = Self.samples.filter { ![.caption, .pixelDigest, .mediaName, .mediaEnding].contains($0.subject) }
    #expect(Self.list(photo).encoded.count < 240)
  }

  @Test(arguments: TestLength.seedArguments(20)) func whatIsDamagedIsRefusedOrTheFormOfAnother(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let whole = Self.list(Self.samples.shuffled(using: &numbers)).encoded
    for round in 0..<2000 {
      let bytes = round % 4 == 0 ? numbers.bytes(round % 64) : numbers.damaged(whole)
      guard let list = try? FactList(decoding: bytes) else { continue }
      #expect(list.encoded == bytes)
      var item = MediaItem(inode: 1, kind: .jpeg)
      _ = item.offer(list)
    }
  }

  static let impossible: [FactValue] = [
    .rating(6), .rating(-2), .halfStars(11), .iso(0), .exposure(0), .exposure(.nan), .aperture(-1),
    .duration(.infinity),
    .duration(-1), .dimensions(width: 0, height: 1), .dimensions(width: 1, height: 1 << 30), .pixelDigest([1]),
    .motion(5..<5), .motion(0 ..< .max), .title(""), .make(String(repeating: "a", count: 257)),
    .caption(String(repeating: "a", count: 16_385)), .tags([String](repeating: "a", count: 1025)),
    .tags([String(repeating: "a", count: 16_385)]), .tags([""]), .altitude(-30_000),
    .contentIdentifier(String(repeating: "a", count: 300)), .mediaEnding(""),
  ]

  @Test(arguments: impossible) func whatCannotBeIsRefused(value: FactValue) {
    let bytes = FactList(facts: [Fact(value, from: .exif)]).encoded
    #expect(throws: (any Error).self) { try FactList(decoding: bytes) }
  }

  /// Another form of the same; a subject, a source, a kind and a projection that do not exist; text that is no UTF-8; what
  /// ends early; what goes on; more than all bounds.
  @Test(
    arguments: [
      [13, 4, 0x80, 0x01, 0], [13, 4, 0x81, 0x00], [0, 4], [200, 4, 0], [13, 99, 1], [5, 4, 99], [4, 4, 9],
      [10, 4, 1, 0xFF], [10, 4, 5, 0x61], [10, 4], [13], [24, 4, 2], [15, 4, 1, 20],
      [13, 4, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
      [UInt8](repeating: 1, count: 65_537),
    ] as [[UInt8]])
  func isNoList(bytes: [UInt8]) { #expect(throws: (any Error).self) { try FactList(decoding: bytes) } }

  @Test func whatIsTooLongIsCutOrLeftOut() throws {
    let long = String(repeating: "\u{E9}", count: 100_000)
    var list = Self.list([
      .caption(long), .title(long), .model(" " + long), .contentIdentifier(long), .lens(" \n"), .rating(9),
      .tags([long] + (0..<2000).map { "tag \($0)" }),
    ])
    #expect(list.facts.map(\.value.subject) == [.caption, .title, .model, .tags])
    let bytes = list.encoded
    #expect(try FactList(decoding: bytes) == list)
    guard case .tags(let tags) = list.facts[3].value, case .model(let model) = list.facts[2].value else { return }
    #expect(tags.count == 1024 && model == String(repeating: "\u{E9}", count: 127))
    // What does not fit any more is left out, and what is short still fits.
    for source in [FactSource.xmp, .iptc, .sidecar, .takeout] {
      list.add(.tags([String(repeating: "a", count: 16_000)]), from: source)
      list.add(.people([String(repeating: "\(source)", count: 1000)]), from: source)
    }
    list.add(.iso(100), from: .exif)
    #expect(list.encoded.count <= FactList.mostBytes && list.facts.last?.value == .iso(100))
    #expect(try FactList(decoding: list.encoded) == list)
  }

  @Test func theWinningSourceIsKept() {
    var list = FactList()
    for (text, source) in [("xmp", FactSource.xmp), ("exif", .exif), ("quick", .quickTime), ("second", .exif)] {
      list.add(.make(text), from: source)
      list.add(.tags([text]), from: source)
    }
    list.add(.make("sky"), from: .gazetteer)
    #expect(list.facts.filter { $0.value.subject == .make } == [Fact(.make("exif"), from: .exif)])
    #expect(list.facts.filter { $0.value.subject == .tags }.map(\.source) == [.xmp, .exif, .quickTime])
  }

  @Test func everythingIsOffered() throws {
    var item = MediaItem(inode: 1, kind: .jpeg)
    let times = item.offer(Self.list(Self.samples, from: .xmp))
    let wall = try #require(Self.wall)
    #expect(times == [TimeCandidate(.wall(wall, offset: 7200), from: .xmp)])
    #expect(item.words.title == "a \"title\", \u{E9}" && item.words.rating == -1 && item.words.isFavourite)
    #expect(item.words.tags == ["Places/Paris", "x,y"] && item.words.people == ["Anna"] && item.words.caption == "b")
    #expect(item.camera.iso == 800 && item.camera.name == "Canon EOS 5D" && item.camera.aperture == 2.8)
    #expect(item.width == 4032 && item.height == 3024 && item.kind == .heic && item.projection == .cubemap)
    #expect(item.links.motion == 1_000_000..<2_000_000 && item.links.isEdited && item.links.burstIdentifier == "B-2")
    #expect(item.video.codec == "hevc" && item.position?.latitude == 48.8584 && item.altitude == -12.5)
    #expect(item.pixelHash == nil)
    for field in [MediaField.title, .position, .motion, .kind, .tags, .iso] {
      #expect(item.sources.first(field) == .xmp)
    }
  }
}
