import System
import TestSupport
import Testing

@testable import Media

/// What is left of files without metadata. exiftool and ffmpeg are the judges.
@Suite struct StripTests {
  /// Stands in everything that must go, and nowhere else.
  private static let secret = "SECRETWORD"

  /// A picture with as much metadata as its format takes.
  private static let tagged = """
    tagged() { exiftool -q -q -m -overwrite_original -n -Orientation=6 -GPSLatitude=48.8584 -GPSLatitudeRef=N \
      -GPSLongitude=2.2945 -GPSLongitudeRef=E -GPSAreaInformation=SECRETWORD -ImageDescription=SECRETWORD \
      -UserComment=SECRETWORD -XPTitle=SECRETWORD -Make=Agony -Model='Model 7' -DateTimeOriginal='2024:05:06 07:08:09' \
      -ExposureTime=0.004 -Copyright=Me -XMP-exif:GPSLatitude=48.8584 -XMP-dc:Title=SECRETWORD \
      -XMP-photoshop:City=SECRETWORD "$@"; }

    """

  private func strip(_ bytes: [UInt8], _ mode: StripMode, _ decoder: Decoder) throws -> [UInt8] {
    let recipe = try decoder.stripped(MemorySource(bytes), mode)
    return recipe.pieces.reduce(into: []) { made, piece in
      switch piece {
      case .range(let range): made += bytes[Int(range.lowerBound)..<Int(range.upperBound)]
      case .bytes(let bytes): made += bytes
      case .zeros(let count): made += [UInt8](repeating: 0, count: Int(count))
      }
    }
  }

  private func hasSecret(_ bytes: [UInt8]) -> Bool {
    // As UTF-16, too.
    [Array(Self.secret.utf8), Self.secret.utf8.flatMap { [$0, 0] }, Self.secret.utf8.flatMap { [0, $0] }].contains {
      wanted in
      guard bytes.count >= wanted.count else { return false }
      return (0...(bytes.count - wanted.count)).contains { start in
        bytes[start] == wanted[0] && bytes[start..<(start + wanted.count)].elementsEqual(wanted)
      }
    }
  }

  /// All fields with something in them, as exiftool names them.
  private func fields(_ name: String, in bench: Bench) throws -> [String: String] {
    let output = try bench.shell("exiftool -a -G1 -s -t \(name)")
    var found: [String: String] = [:]
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
      if parts.count == 3, !["System", "File"].contains(String(parts[0])) {
        found[parts[0] + ":" + parts[1]] = String(parts[2])
      }
    }
    return found
  }

  private static let pictures = ["a.jpg", "progressive.jpg", "gray.jpg", "a.png", "a.webp", "a.heic", "a.avif"]

  @Test(arguments: TestLength.sample(pictures, 3)) func picturesKeepTheirPixels(name: String) throws {
    let bench = try Bench()
    try bench.writeQuarters(width: 400, height: 300)
    try bench.shell(
      Self.tagged + """
        case \(name) in
        progressive.jpg) vips jpegsave quarters.ppm \(name) --interlace --profile p3 ;;
        gray.jpg) vips colourspace quarters.ppm g.v b-w; vips copy g.v \(name) ;;
        a.heic) vips heifsave quarters.ppm \(name) --compression hevc ;;
        a.avif) vips heifsave quarters.ppm \(name) --compression av1 --speed 9 ;;
        *) vips copy quarters.ppm \(name) ;;
        esac
        tagged \(name)
        case \(name) in
        *.jpg) exiftool -q -q -m -overwrite_original -IPTC:City=SECRETWORD -Comment=SECRETWORD -MPF:MPFVersion=1 \(name)
          printf 'SECRETWORD behind the end' >> \(name) ;;
        *.png) exiftool -q -q -m -overwrite_original -PNG:Comment=SECRETWORD \(name); printf SECRETWORD >> \(name) ;;
        esac
        """)
    let decoder = Bench.decoder()
    let original = try bench.file(name)
    #expect(hasSecret(original))
    for mode in StripMode.allCases {
      let made = try strip(original, mode, decoder)
      #expect(!hasSecret(made) && made.count <= original.count)
      let stripped = "\(mode)-\(name)"
      try bench.write(made, to: stripped)
      // The same pixels, turned in the same way, with the same profile.
      #expect(try decoder.pixelDigest(of: MemorySource(made)) == decoder.pixelDigest(of: MemorySource(original)))
      let fields = try self.fields(stripped, in: bench)
      #expect(!fields.keys.contains { $0.contains("GPS") || $0.hasPrefix("XMP") || $0.hasPrefix("IPTC") }, "\(fields)")
      #expect(fields["ExifTool:Warning"] == nil)
      let isKept = mode == .location
      #expect(fields["IFD0:Make"] == (isKept ? "Agony" : nil) && fields["IFD0:Copyright"] == (isKept ? "Me" : nil))
      #expect(fields["ExifIFD:DateTimeOriginal"] == (isKept ? "2024:05:06 07:08:09" : nil))
      #expect(fields["ExifIFD:ExposureTime"] == (isKept ? "1/250" : nil))
      // Once more changes nothing.
      #expect(try strip(made, mode, decoder) == made)
      #expect(throws: Never.self) { try decoder.derive(made) }
    }
  }

  /// Two pictures in one file, as phones make them, and the video of a motion photo.
  @Test func whatFollowsAJPEGGoes() throws {
    let bench = try Bench()
    try bench.writeQuarters(width: 200, height: 100)
    try bench.shell(Self.tagged + "vips copy quarters.ppm a.jpg; cp a.jpg plain.jpg; tagged a.jpg")
    let (tagged, plain) = (try bench.file("a.jpg"), try bench.file("plain.jpg"))
    let mpf = Array("MPF\0".utf8) + [UInt8](repeating: 1, count: 60)
    let both =
      plain.adding(segments: [(0xe2, mpf), (0xe5, Array("SECRETWORD".utf8))]) + tagged + Array("ftypSECRETWORD".utf8)
    let made = try strip(both, .all, Bench.decoder())
    #expect(!hasSecret(made) && made.count < plain.count + 100)
    #expect(made.suffix(2) == [0xff, 0xd9])
  }

  private static let source = "-f lavfi -i testsrc=duration=2:size=320x240:rate=10 -f lavfi -i sine=duration=2"
  private static let words =
    "-metadata location=+48.8584+002.2945/ -metadata title=SECRETWORD -metadata comment=SECRETWORD "
    + "-metadata make=SECRETWORD -metadata creation_time=2024-05-06T05:08:09Z -metadata:s handler_name=SECRETWORD"
  private static let videos = [
    ("a.mp4", "-c:v libx264 -c:a aac -movflags +faststart"), ("b.mp4", "-c:v mpeg4 -c:a aac"),
    ("keys.mov", "-c:v libx264 -c:a aac -movflags use_metadata_tags"), ("a.3gp", "-c:v h263 -s 352x288 -c:a aac"),
    ("pcm.mov", "-c:v mpeg4 -c:a pcm_s16le"), ("pcm24.mov", "-c:v mpeg4 -c:a pcm_s24be"),
    ("ulaw.mov", "-c:v mpeg4 -c:a pcm_mulaw"), ("ima.mov", "-c:v mpeg4 -c:a adpcm_ima_qt"),
    ("words.mp4", "-i words.srt -map 0 -map 1 -map 2 -c:v libx264 -c:a aac -c:s mov_text"),
  ]

  @Test(arguments: TestLength.sample(videos, 3)) func videosKeepTheirPackets(name: String, options: String) throws {
    let bench = try Bench()
    try bench.shell(
      """
      printf '1\\n00:00:00,000 --> 00:00:01,000\\nSECRETWORD\\n' > words.srt
      ffmpeg -v error \(Self.source) \(options) \(Self.words) \(name)
      printf 'SEFHSECRETWORD' >> \(name)
      """)
    let decoder = Bench.decoder()
    let original = try bench.file(name)
    #expect(hasSecret(original))
    func packets(_ name: String) throws -> [UInt8] {
      try bench.shell("ffmpeg -v error -i \(name) -map 0:v -map 0:a -c copy -f md5 - 2>&1")
    }
    for mode in StripMode.allCases {
      let made = try strip(original, mode, decoder)
      #expect(!hasSecret(made))
      try bench.write(made, to: "\(mode)-\(name)")
      #expect(try packets("\(mode)-\(name)") == packets(name))
      let fields = try self.fields("\(mode)-\(name)", in: bench)
      #expect(!fields.keys.contains { $0.contains("GPS") || $0.hasPrefix("UserData") || $0.hasPrefix("Keys") })
      #expect((fields["QuickTime:CreateDate"]?.hasPrefix("2024:05:06") ?? false) == (mode == .location))
      #expect(try strip(made, mode, decoder) == made)
    }
  }

  @Test func whatCannotBeStrippedIsRefused() throws {
    let bench = try Bench()
    try bench.writeQuarters(width: 64, height: 48)
    try bench.shell(
      """
      vips copy quarters.ppm a.tif; vips copy quarters.ppm a.gif; vips copy quarters.ppm a.jpg; vips copy quarters.ppm a.jxl
      vips copy quarters.ppm a.png; vips copy quarters.ppm a.webp
      ffmpeg -v error \(Self.source) -c:v libx264 -c:a aac -movflags frag_keyframe+empty_moov a.mp4
      ffmpeg -v error \(Self.source) -c:v libx264 -c:a aac a.mkv
      """)
    let decoder = Bench.decoder()
    for name in ["a.tif", "a.gif", "a.jxl", "a.mp4", "a.mkv"] {
      let bytes = try bench.file(name)
      for mode in StripMode.allCases {
        #expect(throws: DecoderError.self, "\(name)") { try decoder.stripped(MemorySource(bytes), mode) }
      }
    }
    for name in ["a.jpg", "a.png", "a.webp"] {
      let cut = Array(try bench.file(name).dropLast(20))
      #expect(throws: DecoderError.self, "\(name)") { try decoder.stripped(MemorySource(cut), .all) }
    }
    #expect(throws: DecoderError.notMedia) { try decoder.stripped(MemorySource(Array("words, no picture".utf8)), .all) }
  }

  private static func replaced(_ bytes: [UInt8], _ old: String, _ new: String) -> [UInt8] {
    var bytes = bytes
    let old = Array(old.utf8)
    for start in 0...(bytes.count - old.count) where bytes[start..<(start + old.count)].elementsEqual(old) {
      bytes.replaceSubrange(start..<(start + old.count), with: new.utf8)
    }
    return bytes
  }

  /// Nothing that may be a picture becomes zeros, and none that holds metadata of its own stays.
  @Test func picturesOfUnknownKindsAreRefused() throws {
    let bench = try Bench()
    try bench.writeQuarters(width: 128, height: 96)
    try bench.shell(
      """
      vips heifsave quarters.ppm a.heic --compression hevc
      ffmpeg -v error \(Self.source) -c:v mjpeg -c:a aac a.mov
      """)
    let decoder = Bench.decoder()
    let picture = try bench.file("a.heic")
    _ = try decoder.stripped(MemorySource(picture), .all)
    for bytes in [
      Self.replaced(picture, "hvc1", "vvc1"), Self.replaced(picture, "hvc1", "jpeg"), try bench.file("a.mov"),
    ] {
      for mode in StripMode.allCases {
        #expect(throws: DecoderError.self) { try decoder.stripped(MemorySource(bytes), mode) }
      }
    }
  }

  /// How colours are coded is kept, however long the segment that says it is; a JFIF that is too short is none.
  @Test func coloursAreKept() throws {
    let adobe: [UInt8] = [0xff, 0xee, 0, 16] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1, 7, 7]
    let short: [UInt8] = [0xff, 0xe0, 0, 9] + Array("JFIF\0".utf8) + [1, 2]
    let original = try Bench().quarters("a.jpg", width: 64, height: 48)
    let bytes = Array(original[..<2]) + short + adobe + original[2...]
    let made = try strip(bytes, .all, Bench.decoder())
    #expect(made.starts(with: [0xff, 0xd8, 0xff, 0xee, 0, 14] + adobe[4..<16]))
  }

  /// Whatever the bytes are: an error of that file, or a recipe that the client takes.
  @Test(.timeLimit(.minutes(5))) func hostileFiles() throws {
    let bench = try Bench()
    try bench.writeQuarters(width: 64, height: 48)
    try bench.shell(
      Self.tagged + """
        vips copy quarters.ppm a.jpg; vips copy quarters.ppm a.png; vips copy quarters.ppm a.webp
        vips heifsave quarters.ppm a.heic --compression hevc
        tagged a.jpg a.png a.webp a.heic
        ffmpeg -v error \(Self.source) \(Self.words) -c:v mpeg4 -c:a pcm_s16le a.mov
        """)
    let decoder = Bench.decoder(timeout: .seconds(60))
    var random = SplitMix64(seed: 17)
    for name in ["a.jpg", "a.png", "a.webp", "a.heic", "a.mov"] {
      let original = try bench.file(name)
      for round in TestLength.sample(0..<60, 8, name: name) {
        var bytes = original
        if round % 3 == 0 {
          bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
        } else {
          // Tables are at the start, or at the end.
          for _ in 0..<3 {
            let near = Int.random(in: 0..<min(2000, bytes.count), using: &random)
            bytes[Bool.random(using: &random) ? near : bytes.count - 1 - near] = UInt8.random(
              in: 0...255, using: &random)
          }
        }
        do throws(DecoderError) {
          let recipe = try decoder.stripped(MemorySource(bytes), .all)
          #expect(!recipe.pieces.isEmpty)
        } catch {
          #expect(![.killed, .timedOut, .crashed].contains(error), "\(name) \(round): \(error)")
        }
      }
    }
  }

  @Test func recipesAreChecked() throws {
    var recipe = ContentRecipe()
    recipe.keep(0..<4)
    recipe.keep(4..<6)
    recipe.put([1, 2])
    recipe.putZeros(3)
    recipe.keep(9..<10)
    #expect(recipe.pieces == [.range(0..<6), .bytes([1, 2]), .zeros(3), .range(9..<10)])
    #expect(try ContentRecipe(decoding: recipe.encoded, size: 10) == recipe)
    #expect(throws: ByteReader.Malformed.self) { try ContentRecipe(decoding: recipe.encoded, size: 9) }
    recipe.keep(5..<6)
    #expect(throws: ByteReader.Malformed.self) { try ContentRecipe(decoding: recipe.encoded, size: 10) }
    #expect(throws: ByteReader.Malformed.self) { try ContentRecipe(decoding: recipe.encoded + [0], size: 10) }
    var zeros = ContentRecipe()
    zeros.putZeros(11)
    #expect(throws: ByteReader.Malformed.self) { try ContentRecipe(decoding: zeros.encoded, size: 10) }
  }

  @Test func resizedPicturesAreUprightAndNeverEnlarged() throws {
    let bench = try Bench()
    try bench.writeQuarters(width: 800, height: 600)
    try bench.shell(Self.tagged + "vips copy quarters.ppm a.jpg; vips copy quarters.ppm a.png; tagged a.jpg a.png")
    let decoder = Bench.decoder()
    for name in ["a.jpg", "a.png"] {
      let source = MemorySource(try bench.file(name))
      let small = try #require(PlainJPEG(decoder.resized(source, to: 200)))
      #expect([small.width, small.height] == [150, 200])
      let same = try #require(PlainJPEG(decoder.resized(source, to: 4000)))
      #expect([same.width, same.height] == [600, 800])
    }
    let whole = try bench.file("a.jpg")
    #expect(throws: DecoderError.self) {
      try decoder.resized(MemorySource(Array(whole[..<(whole.count / 3)])), to: 200)
    }
  }
}
