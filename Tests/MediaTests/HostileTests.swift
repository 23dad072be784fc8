import Catalog
import TestSupport
import Testing

@testable import Media

/// Files that were made or broken to do harm. Each may fail, but only by itself.
@Suite(.timeLimit(.minutes(10))) struct HostileTests {
  /// Small files of every format, by the tools of the machine.
  private static let making = """
    vips copy quarters.ppm a.jpg; vips jpegsave quarters.ppm progressive.jpg --interlace
    vips copy quarters.ppm a.png; vips copy quarters.ppm a.gif; vips copy quarters.ppm a.webp; vips copy quarters.ppm a.tif
    vips heifsave quarters.ppm a.heic --compression hevc; vips heifsave quarters.ppm a.avif --compression av1 --speed 9
    vips jxlsave quarters.ppm a.jxl --effort 3
    ffmpeg -v error -i quarters.ppm -vf scale=160:120,format=yuv420p -c:v libx264 a.mp4
    ffmpeg -v error -i quarters.ppm -vf scale=160:120 -c:v libvpx -f webm a.webm
    ffmpeg -v error -i quarters.ppm -vf scale=160:120 -c:v mpeg4 a.avi
    ffmpeg -v error -i quarters.ppm -frames:v 1 a.bmp
    ffmpeg -v error -f lavfi -i sine=duration=1 -i a.jpg -map 0 -map 1 -c:a libmp3lame -c:v copy a.mp3
    """
  private static let names = [
    "a.jpg", "progressive.jpg", "a.png", "a.gif", "a.webp", "a.tif", "a.heic", "a.avif", "a.jxl", "a.mp4", "a.webm",
    "a.avi", "a.bmp", "a.mp3",
  ]

  private static func corpus(_ bench: Bench) throws -> [(name: String, bytes: [UInt8])] {
    try bench.writeQuarters(width: 240, height: 160)
    try bench.shell(making)
    var files = try names.map { ($0, try bench.file($0)) }
    let jpeg = files[0].1
    let camera = TIFFBuilder.camera()
    files.append(("exif.jpg", jpeg.adding(exif: TIFFBuilder().file([camera]))))
    let words =
      "-IPTC:Keywords=dog -IPTC:Caption-Abstract=x -XMP-dc:Subject=cat -EXIF:UserComment=y -EXIF:GPSLatitude=1"
    files.append(("words.jpg", try bench.tagged("words.jpg", words)))
    files.append(
      (
        "raw",
        TIFFBuilder().file([
          camera + [(50706, .undefined([1, 4, 0, 0])), (513, .place(of: jpeg)), (514, .long(UInt32(jpeg.count)))]
        ])
      ))
    return files
  }

  /// Decodes something broken: it is decoded, or fails as a file does.
  private static func survive(_ bytes: [UInt8], _ decoder: Decoder, _ name: String) {
    do throws(DecoderError) {
      let made = try decoder.derive(bytes)
      #expect(made.facts.isPossible, "\(name)")
      let list = try? FactList(decoding: made.found)
      #expect(list != nil, "\(name)")
    } catch {
      switch error {
      case .notMedia, .undecodable, .tooLarge, .crashed, .timedOut: break
      case .unavailable, .source, .killed: Issue.record("\(name): \(error)")
      }
    }
  }

  @Test func wholeFilesOfEveryFormatAreDecoded() throws {
    let bench = try Bench()
    let decoder = Bench.decoder()
    for (name, bytes) in try Self.corpus(bench) {
      do throws(DecoderError) {
        let made = try decoder.derive(bytes)
        #expect(made.small != nil && made.large != nil, "\(name)")
      } catch {
        Issue.record("\(name): \(error)")
      }
    }
  }

  @Test func truncatedFilesCostThemselvesOnly() throws {
    let bench = try Bench()
    let files = try Self.corpus(bench)
    let decoder = Bench.decoder()
    for (name, bytes) in files {
      for part in [1, 4, 7] { Self.survive(Array(bytes[..<(bytes.count * part / 8)]), decoder, name) }
    }
    #expect(throws: Never.self) { try decoder.derive(files[0].bytes) }
  }

  /// One of the four parts of a thousand broken files.
  @Test(arguments: TestLength.sample(0..<4, 2))
  func bitsFlippedAtRandom(part: UInt64) throws {
    let bench = try Bench()
    let files = try Self.corpus(bench)
    let decoder = Bench.decoder(timeout: .seconds(30))
    for round in TestLength.sample(0..<250, 12, kind: { $0 % files.count }, name: "\(part)") {
      var random = SplitMix64(seed: part << 32 + UInt64(round))
      var (name, bytes) = files[round % files.count]
      // Most of what can go wrong is decided by the first bytes.
      let reach = round % 3 == 0 ? bytes.count : min(bytes.count, 512)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[Int.random(in: 0..<reach, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      Self.survive(bytes, decoder, "\(name), part \(part), round \(round)")
    }
    #expect(throws: Never.self) { try decoder.derive(files[0].bytes) }
  }

  /// EXIF, XMP and IPTC with flipped bits, in files that are whole: their facts are read alone.
  @Test func metadataWithBitsFlippedAtRandom() throws {
    let bench = try Bench()
    let files = try ["a.jpg", "a.tif"].map { name in
      try bench.tagged(name, "\(FileFactsTests.exif) \(FileFactsTests.xmp) \(FileFactsTests.iptc)")
    }
    let decoder = Bench.decoder(timeout: .seconds(30))
    var random = SplitMix64(seed: 11)
    for round in 0..<200 {
      var bytes = files[round % 2]
      for _ in 0..<Int.random(in: 1...16, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = round % 4 < 2 ? UInt8.random(in: 0...255, using: &random) : 0xFF
      }
      do throws(DecoderError) {
        let list = try decoder.facts(of: MemorySource(bytes), small: nil)
        #expect(throws: Never.self, "round \(round)") { try FactList(decoding: list) }
      } catch {
        switch error {
        case .notMedia, .undecodable, .tooLarge, .crashed, .timedOut: break
        case .unavailable, .source, .killed: Issue.record("round \(round): \(error)")
        }
      }
    }
    #expect(throws: Never.self) { try decoder.facts(files[0]) }
  }

  /// Texts and lists of 64 KiB, directories that name each other, and counts that go far beyond the end.
  @Test func metadataThatLies() throws {
    let bench = try Bench()
    let picture = try bench.tagged("a.jpg", "-all=")
    let long = String(repeating: "é", count: 16_000)
    var looped = TIFFBuilder().file([[(34665, .long(8)), (34853, .long(8)), (271, .ascii("Agony"))]])
    looped.replaceSubrange((looped.count - 10)..<(looped.count - 6), with: [8, 0, 0, 0])
    var counted = TIFFBuilder().file([[(270, .ascii("a caption")), (271, .ascii("Agony"))]])
    counted.replaceSubrange(14..<18, with: [255, 255, 255, 255])
    let decoder = Bench.decoder()
    let wordy = try decoder.facts(
      picture.adding(exif: TIFFBuilder().file([[(270, .ascii(long)), (271, .ascii(long))]]))
    ).item
    #expect(wordy.words.caption?.utf8.count == 16_384 && wordy.camera.make?.utf8.count == 256)
    #expect(throws: Never.self) { try decoder.facts(picture.adding(exif: looped)) }
    #expect(try decoder.facts(picture.adding(exif: counted)).item.camera.make == "Agony")
  }

  @Test func whatIsNoMediumIsTold() throws {
    let decoder = Bench.decoder()
    for bytes in [[], [0], Array("text".utf8), [UInt8](repeating: 0, count: 100_000)] {
      #expect(throws: DecoderError.notMedia) { try decoder.derive(bytes) }
    }
    let sparse = MemorySource([], size: 4 << 30)
    #expect(throws: DecoderError.notMedia) { try decoder.derive([.small], eagerly: true, from: sparse) }
    #expect(sparse.bytesRead < 1 << 20)
  }

  @Test func sparseFilesAreReadInPieces() throws {
    let bench = try Bench()
    let decoder = Bench.decoder()
    for (name, bytes) in try Self.corpus(bench) where name != "a.webp" {
      let source = MemorySource(bytes, size: 4 << 30)
      _ = try? decoder.derive([.small], eagerly: true, from: source)
      #expect(source.bytesRead < 512 << 20, "\(name)")
    }
    #expect(throws: Never.self) { try decoder.derive(try bench.file("a.jpg")) }
  }

  @Test func picturesThatNeedTooMuchMemoryAreRefused() throws {
    let bench = try Bench()
    try bench.writeQuarters(width: 64, height: 64)
    try bench.shell(
      """
      vips copy quarters.ppm small.gif
      vips heifsave quarters.ppm small.heic --compression hevc; vips heifsave quarters.ppm small.avif --compression av1 --speed 9
      """)
    let decoder = Bench.decoder()
    // Its screen and its only frame are now 32768 × 32768.
    var animation = try bench.file("small.gif")
    let frame = try #require(
      animation.indices.first { animation[$0...].starts(with: [0x2c, 0, 0, 0, 0, 64, 0, 64, 0]) })
    for place in [6, frame + 5] { animation.replaceSubrange(place..<(place + 4), with: [0, 128, 0, 128]) }
    #expect(throws: DecoderError.tooLarge) { try decoder.derive(animation) }
    // The box that says the size, 64 × 64, now says 24576 × 16384.
    for name in ["small.heic", "small.avif"] {
      var bytes = try bench.file(name)
      let box = Array("ispe".utf8) + [0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 64]
      let start = try #require(bytes.indices.first { bytes[$0...].starts(with: box) })
      bytes.replaceSubrange((start + 8)..<(start + 16), with: [0, 0, 96, 0, 0, 0, 64, 0])
      #expect(throws: DecoderError.tooLarge, "\(name)") { try decoder.derive(bytes) }
    }
    #expect(throws: Never.self) { try decoder.derive(try bench.file("small.heic")) }
  }
}
