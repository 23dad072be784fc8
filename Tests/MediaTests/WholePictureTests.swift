import Catalog
import TestSupport
import Testing

@testable import Media

/// JPEGs of full size, and digests of pixels.
@Suite struct WholePictureTests {
  @Test(arguments: TestLength.sample(["a.heic", "a.tif", "a.jpg", "a.png", "a.avif"], 2))
  func fullSize(name: String) throws {
    let bench = try Bench()
    let script = "vips copy quarters.ppm \(name); exiftool -q -overwrite_original -XMP-dc:Title=secret \(name)"
    let picture = try bench.quarters(name, width: 1500, height: 1100, by: script)
    let full = try Bench.decoder().full(of: MemorySource(picture))
    let shape = try #require(PlainJPEG(full))
    #expect(shape.width == 1500 && shape.height == 1100)
    let pixels = try Pixels(full, in: bench)
    #expect(try #require(pixels.difference(from: try Pixels(try bench.file("quarters.ppm"), in: bench))) < 8)
  }

  @Test func fullSizeOfARawFileIsItsPreviewUpright() throws {
    let bench = try Bench()
    let jpeg = try bench.quarters("preview.jpg", by: "vips jpegsave quarters.ppm preview.jpg --strip")
    let raw = TIFFBuilder().file([
      TIFFBuilder.camera(orientation: 6) + [
        (50706, .undefined([1, 4, 0, 0])), (513, .place(of: jpeg)), (514, .long(UInt32(jpeg.count))),
      ]
    ])
    let decoder = Bench.decoder()
    let pixels = try Pixels(try decoder.full(of: MemorySource(raw)), in: bench)
    #expect([pixels.width, pixels.height] == [1200, 1600])
    #expect(zip(pixels[100, 100], [30, 30, 220]).allSatisfy { abs($0 - $1) < 12 })
    // Two of them may have the same preview and differ.
    #expect(throws: DecoderError.undecodable("it is a raw file")) { try decoder.pixelDigest(of: MemorySource(raw)) }
  }

  /// More than a message holds.
  @Test func largePicturesComeInParts() throws {
    let bench = try Bench()
    try bench.shell("vips gaussnoise n.v 3000 3000 --sigma 90 --mean 128; vips cast n.v n.tif uchar")
    let full = try Bench.decoder().full(of: MemorySource(try bench.file("n.tif")))
    #expect(full.count > WireMessage.partBytes && PlainJPEG(full) != nil)
  }

  @Test func samePixelsHaveTheSameDigest() throws {
    let bench = try Bench()
    try bench.writeQuarters(width: 400, height: 300)
    try bench.shell(
      """
      vips copy quarters.ppm a.png; vips copy a.png 'b.png[compression=1]'; vips copy a.png c.tif
      exiftool -q -overwrite_original -XMP-dc:Title=other b.png
      vips copy a.png one.v; vips draw_rect one.v 31 399 299 1 1; vips copy one.v d.png
      vips rot a.png e.png d90; vips rot e.png f.tif d270; vips rot a.png g.tif d90
      exiftool -q -overwrite_original -n -Orientation=8 g.tif
      vips cast a.png h.v ushort; vips linear h.v i.v 257 0; vips cast i.v i.png ushort; vips pngsave a.png j.png --profile srgb
      """)
    let decoder = Bench.decoder()
    func digest(_ name: String) throws -> [UInt8] { try decoder.pixelDigest(of: MemorySource(try bench.file(name))) }
    let first = try digest("a.png")
    #expect(first.count == 32)
    for name in ["b.png", "c.tif", "f.tif", "g.tif"] { #expect(try digest(name) == first, "\(name)") }
    // A pixel, a turn, more bits, a profile.
    for name in ["d.png", "e.png", "i.png", "j.png"] { #expect(try digest(name) != first, "\(name)") }
    var cut = try bench.file("a.png")
    cut.removeLast(cut.count / 2)
    #expect(throws: DecoderError.self) { try decoder.pixelDigest(of: MemorySource(cut)) }
  }

  @Test func severalPicturesHaveNoDigest() throws {
    let bench = try Bench()
    try bench.shell("ffmpeg -v error -f lavfi -i testsrc=size=64x64:rate=5:duration=1 a.gif")
    let source = MemorySource(try bench.file("a.gif"))
    #expect(throws: DecoderError.undecodable("several pictures")) { try Bench.decoder().pixelDigest(of: source) }
  }

  @Test func videosHaveNeither() throws {
    let bench = try Bench()
    try bench.shell("ffmpeg -v error -f lavfi -i testsrc=size=64x64:rate=5:duration=1 -c:v libx264 a.mp4")
    let decoder = Bench.decoder()
    let source = MemorySource(try bench.file("a.mp4"))
    #expect(throws: DecoderError.undecodable("a video")) { try decoder.full(of: source) }
    #expect(throws: DecoderError.undecodable("a video")) { try decoder.pixelDigest(of: source) }
  }
}
