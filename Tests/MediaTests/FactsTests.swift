import Catalog
import Testing

@testable import Media

/// What files say about themselves, and derivatives do not.
@Suite struct FactsTests {
  /// 2024-05-06 07:08:09 in a zone two hours east of UTC.
  static let taken: Int64 = 1_714_972_089

  static func expectCamera(_ made: Derivatives) throws {
    let facts = try FileFacts(made.found)
    #expect(facts.item.camera.make == "Agony" && facts.item.camera.model == "Model 7")
    #expect(facts.taken?.instant == taken && facts.taken?.offset == 7200)
    let position = try #require(facts.item.position)
    #expect(abs(position.latitude + 33.859833) < 1e-5 && abs(position.longitude - 151.211333) < 1e-5)
  }

  @Test(arguments: [true, false])
  func exifOfEitherByteOrder(isLittleEndian: Bool) throws {
    let picture = try Bench().quarters("picture.jpg", width: 400, height: 300)
    let exif = TIFFBuilder(isLittleEndian: isLittleEndian).file([TIFFBuilder.camera(orientation: 6)])
    let made = try Bench.decoder().derive(picture.adding(exif: exif))
    #expect(made.facts == MediaFacts(kind: .jpeg, width: 300, height: 400, orientation: 6))
    try Self.expectCamera(made)
  }

  @Test func factsThatCannotBeAreLeftOut() throws {
    let picture = try Bench().quarters("picture.jpg", width: 400, height: 300)
    let exif = TIFFBuilder().file([
      [
        (271, .ascii("\u{1b}[2J\n")), (272, .ascii(String(repeating: "é", count: 100))), (274, .short(9)),
        (34665, .directory([(36867, .ascii("2024:13:41 27:08:09"))])),
        (
          34853,
          .directory([
            (1, .ascii("N")), (2, .fractions([(99, 1), (0, 1), (0, 1)])), (3, .ascii("E")),
            (4, .fractions([(0, 0), (0, 1), (0, 1)])),
          ])
        ),
      ]
    ])
    let made = try Bench.decoder().derive(picture.adding(exif: exif))
    #expect(made.facts.orientation == 1)
    let facts = try FileFacts(made.found)
    #expect(facts.item.camera.make == "[2J" && facts.item.camera.model == String(repeating: "é", count: 100))
    #expect(facts.taken == nil && facts.item.position == nil)
  }

  @Test func derivativesHoldNoMetadata() throws {
    // A profile comes along with the saver's option.
    let profiled = try Bench().quarters("picture.jpg", by: "vips jpegsave quarters.ppm picture.jpg --profile srgb")
    #expect(profiled.contains(Array("ICC_PROFILE".utf8)))
    let xmp = Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>secret place</x:xmpmeta>".utf8)
    let picture = profiled.adding(segments: [
      (0xe1, Array("Exif\0\0".utf8) + TIFFBuilder().file([TIFFBuilder.camera()])), (0xe1, xmp),
      (0xed, Array("Photoshop 3.0\0secret place".utf8)), (0xfe, Array("secret place".utf8)),
    ])
    let made = try Bench.decoder().derive(picture)
    try Self.expectCamera(made)
    for bytes in [made.small, made.large] {
      let bytes = try #require(bytes)
      #expect(PlainJPEG(bytes) != nil)
      for text in ["Exif", "xap", "xmp", "ICC_PROFILE", "Photoshop", "secret", "Agony", "2024"] {
        let isThere = bytes.contains(Array(text.utf8))
        #expect(!isThere, "\(text)")
      }
    }
  }
}
