import Catalog
import TestSupport
import Testing

@testable import Media

/// BMPs, and the covers of MP3s.
@Suite struct BitmapTests {
  /// As many bits as programs write, from below and from above, with the header of OS/2, and one as Windows' screenshots
  /// have it.
  private static let forms = ["bgr24", "pal8", "bgra", "rgb565le", "rgb555le", "upside down", "core"]

  /// Turns the rows of a BMP of 24 bits, which are written from below: its height is negative then.
  private static let turning = """
    import struct
    data = bytearray(open("picture.bmp", "rb").read())
    start, = struct.unpack_from("<I", data, 10)
    width, height = struct.unpack_from("<ii", data, 18)
    row = (3 * width + 3) // 4 * 4
    rows = [data[start + number * row:start + (number + 1) * row] for number in range(height)]
    if "core" in __import__("sys").argv:
        body = b"".join(rows)
        data = struct.pack("<2sIIIIHHHH", b"BM", 26 + len(body), 0, 26, 12, width, height, 1, 24) + body
    else:
        struct.pack_into("<i", data, 22, -height)
        data = data[:start] + b"".join(reversed(rows))
    open("picture.bmp", "wb").write(data)
    """

  private func bitmap(_ form: String, _ bench: Bench) throws -> [UInt8] {
    try bench.writeQuarters(width: 1203, height: 900)
    let format = ["upside down", "core"].contains(form) ? "bgr24" : form
    try bench.shell("ffmpeg -v error -i quarters.ppm -pix_fmt \(format) -frames:v 1 picture.bmp")
    if format != form {
      try bench.write(Array(Self.turning.utf8), to: "turn.py")
      try bench.shell("python3 turn.py \(form)")
    }
    return try bench.file("picture.bmp")
  }

  @Test(arguments: TestLength.drawn(forms, 4))
  func everyFormIsDecoded(_ form: String) throws {
    let bench = try Bench()
    let bytes = try bitmap(form, bench)
    let decoder = Bench.decoder()
    let made = try decoder.derive(bytes)
    #expect(made.facts == MediaFacts(kind: .bitmap, width: 1203, height: 900))
    let facts = try FileFacts(made.found, kind: .bitmap)
    #expect(facts.item.width == 1203 && facts.item.video.codec == nil && facts.item.perceptualHash != nil)
    let wanted = try Pixels(try bench.file("quarters.ppm"), in: bench)
    for (bytes, size) in [(made.small, [256, 192]), (made.large, [1024, 766])] {
      let pixels = try Pixels(try #require(bytes), in: bench)
      #expect([pixels.width, pixels.height] == size)
      for (x, y) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
        let found = pixels[Int(x * Double(pixels.width)), Int(y * Double(pixels.height))]
        let colour = wanted[Int(x * Double(wanted.width)), Int(y * Double(wanted.height))]
        #expect(zip(found, colour).allSatisfy { abs($0 - $1) < 24 }, "\(form): \(found) at \(x), \(y)")
      }
    }
    let full = try decoder.full(of: MemorySource(bytes))
    #expect(PlainJPEG(full).map { [$0.width, $0.height] } == [1203, 900])
    #expect(throws: DecoderError.self) { try decoder.pixelDigest(of: MemorySource(bytes)) }
  }

  /// Texts begin with these letters, too.
  @Test func whatIsNoBitmapIsTold() throws {
    let bench = try Bench()
    let bytes = try bitmap("bgr24", bench)
    let decoder = Bench.decoder()
    var other = bytes
    other[14] = 41
    for content in [other, Array("BMs and other words, which go on for some lines".utf8)] {
      #expect(throws: DecoderError.notMedia) { try decoder.derive(content) }
    }
    // 60,000 × 60,000 pixels, which it does not have.
    var vast = bytes
    vast.replaceSubrange(18..<26, with: [0x60, 0xEA, 0, 0, 0x60, 0xEA, 0, 0])
    #expect(throws: DecoderError.self) { try decoder.derive(vast) }
    #expect(throws: Never.self) { try decoder.derive(bytes) }
  }

  @Test(arguments: ["jpg", "png"])
  func musicHasItsCover(_ ending: String) throws {
    let bench = try Bench()
    try bench.writeQuarters(width: 600, height: 600)
    try bench.shell(
      """
      vips copy quarters.ppm cover.\(ending)
      ffmpeg -v error -f lavfi -i sine=duration=2 -c:a libmp3lame plain.mp3
      ffmpeg -v error -i plain.mp3 -i cover.\(ending) -map 0 -map 1 -c copy -id3v2_version 3 song.mp3
      """)
    let decoder = Bench.decoder()
    let made = try decoder.derive(try bench.file("song.mp3"))
    #expect(made.facts == MediaFacts(kind: .music, width: 600, height: 600))
    let pixels = try Pixels(try #require(made.small), in: bench)
    #expect([pixels.width, pixels.height] == [256, 256])
    #expect(zip(pixels[64, 64], [230, 30, 30]).allSatisfy { abs($0 - $1) < 12 })
    let song = MemorySource(try bench.file("song.mp3"))
    #expect(throws: DecoderError.notMedia) { try decoder.full(of: song) }
    #expect(!MediaKind.music.isPhotoOrVideo && !MediaKind.music.isPicture && !MediaKind.catalogued.contains(.music))
    // Without a cover it is no picture, nor is a text that begins so.
    #expect(throws: DecoderError.notMedia) { try decoder.derive(try bench.file("plain.mp3")) }
    #expect(throws: DecoderError.self) { try decoder.derive(Array("ID3\u{3} and some words of no length".utf8)) }
  }
}
