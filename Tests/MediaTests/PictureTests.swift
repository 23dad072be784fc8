import TestSupport
import Testing

@testable import Media

/// Derivatives of pictures that libvips' own tools made.
@Suite struct PictureTests {
  @Test(arguments: [("jpg", MediaKind.jpeg), ("png", .png), ("gif", .gif), ("webp", .webp), ("tif", .tiff)])
  func formats(ending: String, kind: MediaKind) throws {
    let bench = try Bench()
    let made = try Bench.decoder().derive(bench.quarters("picture.\(ending)"))
    #expect(made.facts == MediaFacts(kind: kind, width: 1600, height: 1200))
    for (bytes, size) in [(made.small, DerivativeSize.small), (made.large, .large)] {
      let pixels = try Pixels(try #require(bytes), in: bench)
      #expect(pixels.width == size.longerSide && pixels.height == size.longerSide * 3 / 4)
      let corners = [
        (0.25, 0.25, [230, 30, 30]), (0.75, 0.25, [30, 200, 30]), (0.25, 0.75, [30, 30, 220]),
        (0.75, 0.75, [220, 210, 30]),
      ]
      for (x, y, colour) in corners {
        let found = pixels[Int(x * Double(pixels.width)), Int(y * Double(pixels.height))]
        #expect(zip(found, colour).allSatisfy { abs($0 - $1) < 12 }, "\(ending): \(found) at \(x), \(y)")
      }
    }
  }

  /// They are reduced as one colour, and are grey in the JPEGs' three.
  @Test func greyPictures() throws {
    let bench = try Bench()
    let made = try Bench.decoder().derive(
      bench.quarters("picture.jpg", by: "vips extract_band quarters.ppm picture.jpg 0"))
    for (bytes, side) in [(made.small, 256), (made.large, 1024)] {
      let picture = try #require(bytes)
      try bench.shell(
        """
        vips thumbnail picture.jpg grey.v \(side) --height \(side) --size down
        vips colourspace grey.v reference.png srgb
        """)
      let pixels = try Pixels(picture, in: bench)
      let difference = try #require(pixels.difference(from: try Pixels(try bench.file("reference.png"), in: bench)))
      #expect(difference < 3, "\(side)")
      #expect(zip(pixels[side / 4, side / 4], [230, 230, 230]).allSatisfy { abs($0 - $1) < 12 })
      #expect(zip(pixels[side * 3 / 4, side / 4], [30, 30, 30]).allSatisfy { abs($0 - $1) < 12 })
    }
    try bench.shell("vips crop picture.jpg narrow.jpg 800 0 3 1200")
    let narrow = try Bench.decoder().derive(try bench.file("narrow.jpg"))
    #expect(PlainJPEG(try #require(narrow.small)).map { [$0.width, $0.height] } == [1, 256])
    #expect(PlainJPEG(try #require(narrow.large)).map { [$0.width, $0.height] } == [3, 1024])
  }

  @Test func smallPicturesAreNotEnlarged() throws {
    let made = try Bench.decoder().derive(Bench().quarters("picture.png", width: 80, height: 60))
    for picture in [made.small, made.large] {
      #expect(PlainJPEG(try #require(picture)).map { [$0.width, $0.height] } == [80, 60])
    }
  }

  @Test func whatIsTransparentBecomesWhite() throws {
    let bench = try Bench()
    try bench.shell(
      "vips black clear.v 300 200 --bands 4\nvips copy clear.v named.v --interpretation srgb\nvips copy named.v picture.png"
    )
    let pixels = try Pixels(try #require(try Bench.decoder().derive(try bench.file("picture.png")).large), in: bench)
    #expect(pixels.bytes.allSatisfy { $0 > 250 })
  }

  @Test func onlyWhatIsAskedForIsMade() throws {
    let source = MemorySource(try Bench().quarters("picture.jpg"))
    let decoder = Bench.decoder()
    let small = try decoder.derive([.small], eagerly: true, from: source)
    #expect(small.small != nil && small.large == nil)
    let large = try decoder.derive([.large], eagerly: true, from: source)
    #expect(large.small == nil && large.large != nil)
    let facts = try decoder.derive([], eagerly: true, from: source)
    #expect(facts.small == nil && facts.large == nil && facts.facts.width == 1600)
  }

  @Test func pngsHaveTheirTexts() throws {
    let bench = try Bench()
    let decoder = Bench.decoder()
    let large = try #require(try decoder.derive(bench.quarters("picture.jpg")).large)
    let png = try decoder.png(
      from: large, longerSide: 512, text: [("Thumb::URI", "./picture.jpg"), ("Thumb::MTime", "1500000000.250000")])
    let pixels = try Pixels(png, in: bench)
    #expect(pixels.width == 512 && pixels.height == 384)
    for text in ["tEXtThumb::URI\0./picture.jpg", "tEXtThumb::MTime\01500000000.250000"] {
      let isThere = png.contains(Array(text.utf8))
      #expect(isThere, "\(text)")
    }
  }

  /// The same numbers mean other colours in another profile.
  @Test(arguments: [("srgb", false), ("p3", true)])
  func coloursAreConvertedToSRGB(profile: String, isChanged: Bool) throws {
    let bench = try Bench()
    let picture = try bench.quarters(
      "picture.png", width: 400, height: 300, by: "vips pngsave quarters.ppm picture.png --profile \(profile)")
    let large = try #require(try Bench.decoder().derive(picture).large)
    let plain = try Pixels(try bench.file("quarters.ppm"), in: bench)
    // Display P3's red and green are purer than sRGB's, so the other components become smaller.
    let difference = try #require(try Pixels(large, in: bench).difference(from: plain))
    #expect(isChanged ? difference > 5 : difference < 3, "\(difference)")
  }

  /// Scanners and old editors put a profile of colours into grey pictures.
  @Test(arguments: ["p3", "srgb"]) func aProfileThatDoesNotFitIsLeftOut(profile: String) throws {
    let bench = try Bench()
    try bench.writeQuarters(width: 400, height: 300)
    try bench.shell(
      """
      vips colourspace quarters.ppm grey.v b-w
      vips jpegsave grey.v picture.jpg --profile \(profile)
      vips colourspace grey.v plain.png srgb
      """)
    let large = try #require(try Bench.decoder().derive(try bench.file("picture.jpg")).large)
    let plain = try Pixels(try bench.file("plain.png"), in: bench)
    let difference = try #require(try Pixels(large, in: bench).difference(from: plain))
    #expect(difference < 3)
  }

  /// Damaged, empty, of a class that does not belong into pictures, of none that is known, huge, and of another kind of
  /// colours.
  @Test(arguments: ["empty", "noise", "cut", "class", "huge", "cmyk"]) func aDamagedProfileIsLeftOut(kind: String)
    throws
  {
    let bench = try Bench()
    try bench.writeQuarters(width: 400, height: 300)
    try bench.shell("vips copy quarters.ppm plain.png\nvips jpegsave quarters.ppm p3.jpg --profile p3")
    try bench.shell("vips jpegsave quarters.ppm cmyk.jpg --profile cmyk; exiftool -b -ICC_Profile cmyk.jpg > cmyk")
    try bench.shell("exiftool -b -ICC_Profile p3.jpg > p3\nvips copy quarters.ppm picture.jpg[profile=none,strip]")
    var profile = try bench.file("p3")
    #expect(profile.count > 400)
    switch kind {
    case "empty": profile = []
    case "noise": profile = (0..<600).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 >> 3) }
    case "cut": profile.removeLast(profile.count / 2)
    case "class": profile.replaceSubrange(12..<16, with: Array("zzzz".utf8))
    case "cmyk": profile = try bench.file("cmyk")
    default: profile += [UInt8](repeating: 0, count: 2_000_000)
    }
    let parts = max(1, (profile.count + 65_000) / 65_001)
    let segments = (0..<parts).map { part -> (marker: UInt8, body: [UInt8]) in
      let piece = profile.dropFirst(part * 65_001).prefix(65_001)
      return (0xe2, Array("ICC_PROFILE\0".utf8) + [UInt8(part + 1), UInt8(parts)] + piece)
    }
    let made = try Bench.decoder().derive(try bench.file("picture.jpg").adding(segments: segments))
    let plain = try Pixels(try bench.file("plain.png"), in: bench)
    let large = try #require(made.large)
    let difference = try #require(try Pixels(large, in: bench).difference(from: plain))
    // What can be used of it may be; the picture is shown in any case, and looks like itself.
    #expect(difference < (["cut", "huge"].contains(kind) ? 20 : 3), "\(difference)")
  }

  /// No side becomes less than one pixel.
  @Test(arguments: TestLength.sample([(30_000, 1), (1, 30_000), (30_000, 7), (3, 9_000), (8_000, 400)], 3))
  func longStripsHaveThumbnails(width: Int, height: Int) throws {
    let bench = try Bench()
    try bench.shell(
      """
      vips black black.v \(width) \(height) --bands 3
      vips copy black.v strip.v --interpretation srgb
      vips jpegsave strip.v strip.jpg
      """)
    let made = try Bench.decoder().derive(try bench.file("strip.jpg"))
    #expect(made.facts == MediaFacts(kind: .jpeg, width: width, height: height))
    for picture in [made.small, made.large] {
      let pixels = try Pixels(try #require(picture), in: bench)
      #expect((pixels.width > pixels.height) == (width > height) && min(pixels.width, pixels.height) >= 1)
    }
  }
}

/// Pictures of phones with 200 megapixels. Memory is what bounds them.
@Suite(.serialized) struct LargePictureTests {
  private static let program = #filePath.split(separator: "/").dropLast(2).reduce("") { $0 + "/" + $1 }

  @Test(arguments: ["", "[interlace]"])
  func jpegs(options: String) throws {
    let bench = try Bench()
    try bench.shell(
      """
      vips black black.v 12240 16320 --bands 3
      vips copy black.v 'picture.jpg\(options)'
      rm black.v
      """)
    try expectDerivatives(try bench.file("picture.jpg"), kind: .jpeg, in: bench)
  }

  @Test func heics() throws {
    let bench = try Bench()
    try bench.writeQuarters(width: 512, height: 512)
    try bench.shell(
      """
      vips heifsave quarters.ppm tile.heic --compression hevc
      python3 '\(Self.program)/Fixtures/heic_grid.py' tile.heic picture.heic 12240 16320
      """)
    try expectDerivatives(try bench.file("picture.heic"), kind: .heic, in: bench)
  }

  private func expectDerivatives(_ picture: [UInt8], kind: MediaKind, in bench: Bench) throws {
    // The time of a job has its own tests; debug builds share the processor with others.
    let made = try Bench.decoder(timeout: .seconds(100)).derive(picture)
    #expect(made.facts == MediaFacts(kind: kind, width: 12240, height: 16320))
    #expect(PlainJPEG(try #require(made.large)).map { [$0.width, $0.height] } == [768, 1024])
    #expect(PlainJPEG(try #require(made.small)).map { [$0.width, $0.height] } == [192, 256])
  }
}
