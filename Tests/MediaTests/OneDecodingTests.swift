import TestSupport
import Testing

@testable import Media

/// One decoding gives both derivatives, whatever the kind of the file.
@Suite struct OneDecodingTests {
  private static let program = #filePath.split(separator: "/").dropLast(2).reduce("") { $0 + "/" + $1 }

  /// A raw file around a JPEG.
  private static func raw(_ jpeg: [UInt8]) -> [UInt8] {
    TIFFBuilder().file([
      [(50706, .undefined([1, 4, 0, 0])), (513, .place(of: jpeg)), (514, .long(UInt32(jpeg.count)))]
    ])
  }

  private static let kinds: [(String, MediaKind, String)] = [
    ("heic", .heic, "vips heifsave quarters.ppm file.heic --compression hevc --speed 9"),
    ("avif", .avif, "vips heifsave quarters.ppm file.avif --compression av1 --speed 9"),
    ("mp4", .mp4, "ffmpeg -v error -loop 1 -i quarters.ppm -t 1 -r 5 -c:v libx264 -pix_fmt yuv420p file.mp4"),
    ("png", .png, "vips copy quarters.ppm file.png"), ("tif", .tiff, "vips copy quarters.ppm file.tif"),
    ("webp", .webp, "vips copy quarters.ppm file.webp"), ("raw", .raw, "vips copy quarters.ppm file.jpg"),
  ]

  /// Also of those that nobody waits for. They look as each of them does alone.
  @Test(arguments: kinds) func bothAreMadeAtOnce(ending: String, kind: MediaKind, script: String) throws {
    let bench = try Bench()
    let isRaw = ending == "raw"
    let made = try bench.quarters(isRaw ? "file.jpg" : "file.\(ending)", width: 1200, height: 900, by: script)
    let source = MemorySource(isRaw ? Self.raw(made) : made)
    let decoder = Bench.decoder()
    let both = try decoder.derive([.small, .large], eagerly: true, from: source)
    #expect(both.facts == MediaFacts(kind: kind, width: 1200, height: 900))
    let small = try decoder.derive([.small], eagerly: false, from: source).small
    let large = try decoder.derive([.large], eagerly: false, from: source).large
    for (bytes, alone, width) in [(both.small, small, 256), (both.large, large, 1024)] {
      let pixels = try Pixels(try #require(bytes), in: bench)
      #expect([pixels.width, pixels.height] == [width, width * 3 / 4])
      let difference = pixels.difference(from: try Pixels(try #require(alone), in: bench))
      #expect(try #require(difference) < 4, "\(ending), \(width)")
    }
  }

  /// Noise, of which more is read than the decoder keeps: to decode it again is to read it again.
  private static let noises: [(String, String)] = [
    (
      "avif",
      "vips crop n.tif part.tif 0 0 3800 3600; vips heifsave part.tif file.avif --compression av1 --lossless --speed 9"
    ),
    ("png", "cp n.png file.png"), ("tif", "cp n.tif file.tif"),
    ("webp", "vips webpsave n.tif file.webp --Q 100"), ("raw", "vips jpegsave n.tif file.jpg --Q 100"),
    // With a white border, so that its first frame is good enough: the search for a better one ends by the clock.
    (
      "mkv",
      "ffmpeg -v error -loop 1 -i n.png -t 1 -r 2 -vf drawbox=w=iw/8:h=ih:color=white:t=fill -c:v ffv1 file.mkv"
    ),
  ]

  @Test(arguments: TestLength.sample(noises, 3)) func bothReadNoMoreThanOne(ending: String, script: String) throws {
    let bench = try Bench()
    try bench.shell(
      """
      vips gaussnoise n.v 4800 4600 --sigma 60 --mean 128; vips cast n.v n.tif uchar; vips copy n.tif n.png
      \(script)
      """)
    let made = try ending == "raw" ? Self.raw(bench.file("file.jpg")) : bench.file("file.\(ending)")
    let (one, both) = (MemorySource(made), MemorySource(made))
    let decoder = Bench.decoder()
    #expect(try decoder.derive([.small], eagerly: false, from: one).small != nil)
    // Less would stay in the decoder's memory, and show nothing.
    #expect(one.bytesRead > 16 << 20)
    let pictures = try decoder.derive([.small, .large], eagerly: true, from: both)
    #expect(pictures.small != nil && pictures.large != nil)
    #expect(both.bytesRead < one.bytesRead + 1 << 20, "\(both.bytesRead) bytes, and \(one.bytesRead) for one")
    // Some versions of libheif read all of a file each time that it is opened.
    if ending == "avif" { #expect(both.bytesRead < 6 * made.count, "\(both.bytesRead) bytes of \(made.count)") }
  }

  /// A thumbnail in the file, which is green here and the picture red, is decoded in much less time than the picture. The
  /// small one alone comes from it too; both at once come from the picture.
  @Test func aThumbnailThatSufficesSavesTheDecoding() throws {
    let bench = try Bench()
    let (red, green): ([UInt8], [UInt8]) = ([200, 80, 80], [30, 200, 30])
    for (name, width, height, colour) in [
      ("tile", 512, 512, red), ("shown", 320, 240, green), ("tiny", 192, 144, green),
    ] {
      let pixels = (0..<width * height).flatMap { _ in colour }
      try bench.write(Array("P6 \(width) \(height) 255\n".utf8) + pixels, to: "\(name).ppm")
    }
    try bench.shell(
      """
      for name in tile shown tiny; do vips heifsave $name.ppm $name.heic --compression hevc; done
      for name in shown tiny; do
        python3 '\(Self.program)/Fixtures/heic_grid.py' tile.heic with-$name.heic 2048 1536 $name.heic
      done
      """)
    let decoder = Bench.decoder()
    func expect(_ bytes: [UInt8]?, shows colour: [UInt8]) throws {
      let pixels = try Pixels(try #require(bytes), in: bench)
      let found = pixels[pixels.width / 2, pixels.height / 2]
      #expect(zip(found, colour).allSatisfy { abs($0 - Int($1)) < 6 }, "\(found) for \(colour)")
    }
    let source = MemorySource(try bench.file("with-shown.heic"))
    let eager = try decoder.derive([.small, .large], eagerly: true, from: source)
    try expect(eager.small, shows: green)
    #expect(eager.large == nil)
    try expect(try decoder.derive([.small], eagerly: false, from: source).small, shows: green)
    let both = try decoder.derive([.small, .large], eagerly: false, from: source)
    try expect(both.small, shows: red)
    try expect(both.large, shows: red)
    // One that is too small saves nothing.
    let other = try decoder.derive(
      [.small, .large], eagerly: true, from: MemorySource(try bench.file("with-tiny.heic")))
    try expect(other.small, shows: red)
    try expect(other.large, shows: red)
  }
}
