import Catalog
import Testing

@testable import Media

/// Videos that ffmpeg made: a second of black, then a test picture.
@Suite struct VideoTests {
  private static let pictures =
    "-f lavfi -i color=black:size=640x360:rate=10:duration=1 -f lavfi -i testsrc=size=640x360:rate=10:duration=3"
  private static let joined = "-filter_complex '[0][1]concat=n=2,format=yuv420p'"

  private static let kinds: [(String, String, MediaKind, String)] = [
    ("mp4", "-c:v libx264", .mp4, "h264"), ("mov", "-c:v libx264", .quickTime, "h264"),
    ("mkv", "-c:v libx264", .matroska, "h264"), ("webm", "-c:v libvpx -b:v 1M", .webM, "vp8"),
    ("avi", "-c:v mpeg4 -q:v 3", .avi, "mpeg4"), ("3gp", "-c:v mpeg4 -q:v 3", .threeGP, "mpeg4"),
    ("mts", "-c:v libx264", .transportStream, "h264"), ("ts", "-r 25 -c:v mpeg2video", .transportStream, "mpeg2video"),
    ("m2ts", "-mpegts_m2ts_mode 1 -c:v libx264", .transportStream, "h264"),
    ("mpg", "-r 25 -c:v mpeg2video -q:v 3", .programStream, "mpeg2video"),
    ("wmv", "-c:v wmv2 -q:v 3", .asf, "wmv2"), ("flv", "-c:v flv -q:v 3", .flash, "flv1"),
    ("ogv", "-c:v libtheora -q:v 7", .ogg, "theora"),
  ]

  @Test(arguments: kinds)
  func frameThatIsNotBlack(ending: String, codec: String, kind: MediaKind, name: String) throws {
    let bench = try Bench()
    try bench.shell("ffmpeg -v error \(Self.pictures) \(Self.joined) \(codec) video.\(ending)")
    let decoder = Bench.decoder()
    let source = MemorySource(try bench.file("video.\(ending)"))
    let made = try decoder.derive([.small, .large], eagerly: true, from: source)
    #expect(made.facts == MediaFacts(kind: kind, width: 640, height: 360))
    let video = try FileFacts(made.found, kind: kind).item.video
    #expect(abs((video.duration ?? 0) - 4) < 0.3 && video.codec == name)
    for (bytes, size) in [(made.small, [256, 144]), (made.large, [640, 360])] {
      let pixels = try Pixels(try #require(bytes), in: bench)
      #expect([pixels.width, pixels.height] == size)
      // The test picture's colours; black has none.
      #expect(pixels.bytes.contains { $0 > 200 })
    }
  }

  /// Frames that are stored as red, green and blue keep their colours, however high they are.
  @Test func redGreenAndBlueStayAsTheyAre() throws {
    let bench = try Bench()
    let script = "ffmpeg -v error -loop 1 -i quarters.ppm -t 1 -r 5 -c:v png -pix_fmt rgb24 video.mov"
    let video = MemorySource(try bench.quarters("video.mov", width: 1200, height: 900, by: script))
    let made = try Bench.decoder().derive([.large], eagerly: false, from: video)
    let pixels = try Pixels(try #require(made.large), in: bench)
    #expect(zip(pixels[900, 100], [30, 200, 30]).allSatisfy { abs($0 - $1) < 8 }, "\(pixels[900, 100])")
  }

  @Test(arguments: ["white", "gray"]) func frameThatIsNotOfOneShade(shade: String) throws {
    let bench = try Bench()
    let pictures = Self.pictures.replacing("color=black", with: "color=\(shade)")
    try bench.shell("ffmpeg -v error \(pictures) \(Self.joined) -c:v libx264 video.mp4")
    let made = try Bench.decoder().derive(try bench.file("video.mp4"))
    let found = try Pixels(try #require(made.small), in: bench)
    #expect(found.bytes.contains { $0 < 30 } && found.bytes.contains { $0 > 200 })
  }

  /// Has the only track shown a quarter turned clockwise, by the matrix of its header (ISO/IEC 14496-12, 8.3.2). What
  /// ffmpeg takes for that differs from version to version.
  private static let turn = """
    import struct
    data = bytearray(open("video.mov", "rb").read())
    place = data.index(b"tkhd") + 44
    data[place:place + 36] = struct.pack(">9i", 0, 1 << 16, 0, -1 << 16, 0, 0, 360 << 16, 0, 1 << 30)
    open("video.mov", "wb").write(data)
    """

  @Test func phonesVideosAreUprightAndSayWhereTheyWereMade() throws {
    let bench = try Bench()
    try bench.writeQuarters(width: 640, height: 360)
    try bench.write(Array(Self.turn.utf8), to: "turn.py")
    try bench.shell(
      """
      ffmpeg -v error -loop 1 -i quarters.ppm -t 1 -r 5 -c:v libx264 -pix_fmt yuv420p lying.mov
      ffmpeg -v error -i lying.mov -c copy \
        -metadata creation_time=2024-05-06T05:08:09Z -metadata location=+48.8577+002.2950/ \
        -metadata com.apple.quicktime.creationdate=2024-05-06T07:08:09+0200 -metadata com.apple.quicktime.make=Agony \
        -metadata com.apple.quicktime.location.ISO6709=+48.8577+002.2950+035.0/ \
        -movflags use_metadata_tags video.mov
      python3 turn.py
      """)
    let made = try Bench.decoder().derive(try bench.file("video.mov"))
    #expect(made.facts.width == 360 && made.facts.height == 640 && made.facts.orientation == 6)
    let facts = try FileFacts(made.found, kind: .quickTime)
    #expect(facts.taken?.instant == FactsTests.taken && facts.taken?.offset == 7200)
    #expect(facts.item.position == Position(latitude: 48.8577, longitude: 2.295) && facts.item.camera.make == "Agony")
    let pixels = try Pixels(try #require(made.large), in: bench)
    // Blue was below on the left, and is above on the left after a quarter clockwise.
    #expect(pixels[60, 100][2] > 150 && pixels[60, 100][0] < 90)
    // As ffmpeg itself turns it.
    try bench.shell("ffmpeg -v error -i video.mov -frames:v 1 frame.png")
    let difference = pixels.difference(from: try Pixels(try bench.file("frame.png"), in: bench))
    #expect(try #require(difference) < 6)
  }

  @Test func containersTimesAreUTC() throws {
    let bench = try Bench()
    try bench.shell(
      "ffmpeg -v error -f lavfi -i testsrc=duration=1 -metadata creation_time=2024-05-06T05:08:09Z -c:v libx264 a.mp4")
    let made = try Bench.decoder().derive([], eagerly: true, from: MemorySource(try bench.file("a.mp4")))
    #expect(try FileFacts(made.found, kind: .mp4).taken?.instant == FactsTests.taken)
  }

  /// Its names are in capitals.
  @Test func matroskaSaysWhereItWasMade() throws {
    let bench = try Bench()
    try bench.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc=duration=1 -metadata location=+48.8577+002.2950/ -metadata keywords=one,two \
        -metadata comment=said -c:v libx264 a.mkv
      """)
    let made = try Bench.decoder().derive([], eagerly: true, from: MemorySource(try bench.file("a.mkv")))
    let item = try FileFacts(made.found, kind: .matroska).item
    #expect(item.position == Position(latitude: 48.8577, longitude: 2.295))
    #expect(item.words.tags == ["one", "two"] && item.words.caption == "said")
  }

  @Test func soundAloneHasNoPicture() throws {
    let bench = try Bench()
    try bench.shell("ffmpeg -v error -f lavfi -i sine=duration=1 -c:a aac -f mp4 sound.mp4")
    let decoder = Bench.decoder()
    #expect(throws: DecoderError.undecodable("it does not contain a video")) {
      try decoder.derive(try bench.file("sound.mp4"))
    }
  }

  @Test func largeVideosAreReadInPieces() throws {
    let bench = try Bench()
    try bench.shell("ffmpeg -v error \(Self.pictures) \(Self.joined) -c:v libx264 -movflags faststart video.mp4")
    // Behind the video there are 4 GiB of nothing.
    let source = MemorySource(try bench.file("video.mp4"), size: 4 << 30)
    let made = try Bench.decoder().derive([.small], eagerly: true, from: source)
    #expect(made.small != nil && source.bytesRead < 16 << 20)
  }
}
