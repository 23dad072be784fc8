import Catalog
import TestSupport
import Testing

@testable import Media

/// Raw files, made by wrapping a JPEG in the ways of the makers.
@Suite struct RawTests {
  private typealias Fields = [(UInt16, TIFFBuilder.Field)]
  private static let mosaic: Fields = [(256, .long(6000)), (257, .long(4000)), (259, .short(1)), (262, .short(32803))]

  private static func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (body.count + 8) >> $0) } + Array(type.utf8) + body
  }

  private static func canonBoxes(_ jpeg: [UInt8]) -> [UInt8] {
    let camera = TIFFBuilder.camera(orientation: 6)
    func inner(_ tag: UInt16) -> Fields {
      for case (tag, .directory(let fields)) in camera { return fields }
      return []
    }
    let parts =
      box("CMT1", TIFFBuilder().file([camera.filter { $0.0 < 30000 }]))
      + box("CMT2", TIFFBuilder().file([inner(34665)]))
      + box("CMT4", TIFFBuilder().file([inner(34853)]))
    let canon: [UInt8] = [
      0x85, 0xc0, 0xb6, 0x87, 0x82, 0x0f, 0x11, 0xe0, 0x81, 0x11, 0xf4, 0xce, 0x46, 0x2b, 0x6a, 0x48,
    ]
    let previews: [UInt8] = [
      0xea, 0xf4, 0x2b, 0x5e, 0x1c, 0x98, 0x4b, 0x88, 0xb9, 0xfb, 0xb7, 0xdc, 0x40, 0x6e, 0x4d, 0x16,
    ]
    let head: [UInt8] = [0, 0, 0, 0, 0, 1, 4, 0, 3, 0, 0, 1, 0, 0, 0, 0]
    return box("ftyp", Array("crx \0\0\0\u{1}crx isom".utf8)) + box("moov", box("uuid", canon + parts))
      + box("uuid", previews + [0, 0, 0, 0, 0, 0, 0, 1] + box("PRVW", head + jpeg)) + box("mdat", [1, 2, 3])
  }

  /// A raw file of that maker with a preview, all held in portrait; and the size that it says of itself.
  private static func file(_ maker: String, _ jpeg: [UInt8]) -> (bytes: [UInt8], isSized: Bool) {
    let camera = TIFFBuilder.camera(orientation: 6)
    let interchange: Fields = [(513, .place(of: jpeg)), (514, .long(UInt32(jpeg.count)))]
    let strip: Fields = [
      (259, .short(6)), (273, .place(of: jpeg)), (279, .long(UInt32(jpeg.count))),
    ]
    let little = TIFFBuilder()
    switch maker {
    case "DNG":
      let jpegInside: Fields = strip.filter { $0.0 != 259 } + [(259, .short(7)), (262, .short(6))]
      return (
        little.file([camera + [(50706, .undefined([1, 4, 0, 0])), (330, .directory(jpegInside))], mosaic]), true
      )
    case "NEF":
      return (TIFFBuilder(isLittleEndian: false).file([camera + [(330, .directory(interchange))], mosaic]), true)
    case "ARW": return (little.file([camera + interchange + [(330, .directory(mosaic))]]), true)
    case "CR2":
      return (TIFFBuilder(gap: Array("CR\u{2}\0\0\0\0\0".utf8)).file([camera + strip]), false)
    case "PEF": return (TIFFBuilder(isLittleEndian: false).file([camera + [(259, .short(65535))], interchange]), false)
    case "RW2": return (TIFFBuilder(number: 0x55).file([camera + [(46, .undefined(jpeg))]]), false)
    case "ORF":
      // The note's offsets count from its own start: a directory at 12 that names one behind it.
      let settings = TIFFBuilder().directory([(0x101, .long(200)), (0x102, .long(UInt32(jpeg.count)))], at: 100)
      var note = Array("OLYMPUS\0II\u{3}\0".utf8) + TIFFBuilder().directory([(0x2020, .long(100))], at: 12)
      note += [UInt8](repeating: 0, count: 100 - note.count) + settings
      note += [UInt8](repeating: 0, count: 200 - note.count) + jpeg
      let withNote: Fields = camera.map { tag, field in
        guard tag == 34665, case .directory(let fields) = field else { return (tag, field) }
        return (tag, .directory(fields + [(37500, .undefined(note))]))
      }
      return (TIFFBuilder(number: 0x4f52).file([withNote]), false)
    case "RAF":
      let own = jpeg.adding(exif: TIFFBuilder().file([camera]))
      let numbers = [148, own.count].flatMap { value in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
      let head = Array("FUJIFILMCCD-RAW 0201FF000000X-T0".utf8)
      return (
        head + [UInt8](repeating: 0, count: 84 - head.count) + numbers + [UInt8](repeating: 0, count: 56) + own, false
      )
    default: return (canonBoxes(jpeg), false)
    }
  }

  @Test(arguments: ["DNG", "CR2", "CR3", "NEF", "ARW", "ORF", "RW2", "PEF", "RAF"])
  func previewIsFound(maker: String) throws {
    let bench = try Bench()
    let preview = try bench.quarters("preview.jpg", by: "vips jpegsave quarters.ppm preview.jpg --strip")
    let (bytes, isSized) = Self.file(maker, preview)
    let made = try Bench.decoder().derive(bytes)
    #expect(made.facts.kind == .raw && made.facts.orientation == 6)
    #expect([made.facts.width, made.facts.height] == (isSized ? [4000, 6000] : [1200, 1600]))
    try FactsTests.expectCamera(made)
    let pixels = try Pixels(try #require(made.large), in: bench)
    #expect([pixels.width, pixels.height] == [768, 1024])
    // Turned by a quarter clockwise: what was below on the left is above on the left.
    #expect(zip(pixels[100, 100], [30, 30, 220]).allSatisfy { abs($0 - $1) < 12 })
    #expect(zip(pixels[700, 100], [230, 30, 30]).allSatisfy { abs($0 - $1) < 12 })
  }

  @Test func rawWithoutPreviewIsToldApart() throws {
    let decoder = Bench.decoder()
    let bytes = TIFFBuilder().file([TIFFBuilder.camera() + Self.mosaic])
    #expect(throws: DecoderError.undecodable("it is a raw file without a preview")) { try decoder.derive(bytes) }
    let facts = try decoder.facts(bytes)
    #expect(facts.item.kind == .raw && facts.item.camera.model == "Model 7")
    #expect(facts.taken?.wall.description == "2024-05-06T07:08:09")
  }

  @Test func directoriesThatNameEachOtherEnd() throws {
    // The first directory is its own next, and its own inner one.
    var bytes = TIFFBuilder().file([[(262, .short(32803)), (330, .long(8))]])
    bytes.replaceSubrange((bytes.count - 4)..., with: [8, 0, 0, 0])
    #expect(throws: DecoderError.undecodable("it is a raw file without a preview")) {
      try Bench.decoder().derive(bytes)
    }
  }
}
