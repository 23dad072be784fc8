import Catalog
import TestSupport
import Testing

@testable import Media

/// What is read of each format, in files that exiftool wrote.
@Suite(.timeLimit(.minutes(5))) struct FileFactsTests {
  static let exif = """
    -EXIF:Make=Agony -EXIF:Model='Model 7' -EXIF:LensModel='Lens 50' -EXIF:ISO=800 -EXIF:ExposureTime=1/250 \
    -EXIF:FNumber=2.8 -EXIF:FocalLength=50 -EXIF:DateTimeOriginal='2024:05:06 07:08:09' \
    -EXIF:SubSecTimeOriginal=25 -EXIF:OffsetTimeOriginal=+02:00 -EXIF:OffsetTime=-05:00 \
    -EXIF:GPSLatitude=33.859833 -EXIF:GPSLatitudeRef=S -EXIF:GPSLongitude=151.211333 -EXIF:GPSLongitudeRef=E \
    -EXIF:GPSAltitude=12.5 -EXIF:GPSAltitudeRef#=1 -EXIF:GPSDateStamp=2024:05:06 -EXIF:GPSTimeStamp=05:08:10 \
    -EXIF:ImageDescription='A caption' -EXIF:XPTitle='A title' -EXIF:XPKeywords='one;two' -EXIF:Rating=4
    """
  static let xmp = """
    -XMP-dc:Title='X title' -XMP-dc:Description='X caption' -XMP-xmp:Rating=3 -XMP-dc:Subject=beach \
    -XMP-dc:Subject='a, b' -XMP-digiKam:TagsList=Places/Paris -XMP-lr:HierarchicalSubject='People|Anna' \
    -XMP-iptcExt:PersonInImage='Anna Schmidt' -XMP-exif:DateTimeOriginal='2023:01:02 03:04:05+01:00' \
    -XMP-exif:GPSLatitude=48.8584 -XMP-exif:GPSLongitude=-2.2945 -XMP-tiff:Make=XMake -XMP-exifEX:LensModel='X lens' \
    -XMP-GPano:ProjectionType=equirectangular
    """
  static let iptc = """
    -CodedCharacterSet=UTF8 -IPTC:ObjectName='I title' -IPTC:Caption-Abstract='I caption' -IPTC:Keywords=dog \
    -IPTC:Keywords=Zürich -IPTC:DateCreated=2022:03:04 -IPTC:TimeCreated=05:06:07+03:00
    """

  private func facts(_ name: String, _ tags: String, saving: String = "") throws -> FileFacts {
    try Bench.decoder().facts(Bench().tagged(name, tags, saving: saving))
  }

  @Test(arguments: TestLength.sample(["a.jpg", "a.png", "a.webp", "a.tif", "a.heic", "a.avif"], 3))
  func exifIsRead(name: String) throws {
    let facts = try facts(name, Self.exif)
    let item = facts.item
    #expect(item.camera.make == "Agony" && item.camera.model == "Model 7" && item.camera.lens == "Lens 50")
    #expect(item.camera.iso == 800 && item.camera.exposure == 0.004 && item.camera.aperture == 2.8)
    #expect(item.camera.focalLength == 50 && item.altitude == -12.5)
    #expect(item.position == Position(latitude: -33.859833, longitude: 151.211333))
    #expect(facts.taken?.wall.description == "2024-05-06T07:08:09.25" && facts.taken?.offset == 7200)
    #expect(facts.says(.time).map(\.source) == [.exif, .satellite])
    #expect(facts.says(.time).last?.value == WallTime(seconds: 1_714_972_090).map { .time(.universal($0)) })
    #expect(item.words.title == "A title" && item.words.caption == "A caption" && item.words.rating == 4)
    #expect(item.words.tags == ["one", "two"] && item.width == 96 && item.height == 64)
    #expect(item.sources.first(.title) == .exif && item.sources.first(.position) == .exif)
    #expect(facts.list.encoded.count < 300)
  }

  @Test(
    arguments: TestLength.sample(["a.jpg", "a.png", "a.webp", "a.tif", "a.heic", "a.avif", "a.mp4", "a.mov"], 4))
  func xmpIsRead(name: String) throws {
    let facts = try facts(name, Self.xmp)
    let item = facts.item
    #expect(item.words.title == "X title" && item.words.caption == "X caption" && item.words.rating == 3)
    #expect(item.words.tags == ["People/Anna", "Places/Paris", "a, b", "beach"])
    #expect(item.words.people == ["Anna Schmidt"] && item.projection == .equirectangular)
    #expect(item.position == Position(latitude: 48.8584, longitude: -2.2945))
    #expect(item.camera.make == "XMake" && item.camera.lens == "X lens")
    let times = facts.says(.time).filter { $0.source == .xmp }
    #expect(times.first?.value == FactValue(field: "taken", text: "2023-01-02T03:04:05+01:00"))
    #expect(item.sources.first(.title) == .xmp)
  }

  @Test(arguments: ["a.jpg", "a.tif"]) func iptcIsRead(name: String) throws {
    let facts = try facts(name, Self.iptc)
    #expect(facts.item.words.title == "I title" && facts.item.words.caption == "I caption")
    #expect(facts.item.words.tags == ["Zürich", "dog"].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    #expect(facts.taken?.wall.description == "2022-03-04T05:06:07" && facts.taken?.offset == 10800)
    #expect(facts.item.sources.first(.title) == .iptc)
  }

  @Test func otherCharactersAreRead() throws {
    let facts = try facts(
      "a.jpg", "-charset iptc=Latin -charset exif=Latin -IPTC:Keywords=Zürich -EXIF:ImageDescription=Straße")
    #expect(facts.item.words.tags == ["Zürich"] && facts.item.words.caption == "Straße")
  }

  @Test func theOffsetOfAnotherTimeIsNotUsed() throws {
    let facts = try facts("a.jpg", "-EXIF:DateTimeOriginal='2024:05:06 07:08:09' -EXIF:OffsetTime=-05:00")
    #expect(facts.taken?.wall.description == "2024-05-06T07:08:09" && facts.taken?.offset == nil)
  }

  @Test(
    arguments: [
      ("1826:01:01 00:00:00", "1826-01-01T00:00:00"), ("9999:12:31 23:59:59", "9999-12-31T23:59:59"),
      ("2006/11/09 10:54:01", "2006-11-09T10:54:01"), ("2006:11:09 10:54: 1", "2006-11-09T10:54:01"),
      ("1993:08:  ", "1993-08"), ("1993:08:  :  :  :  ", "1993-08"), ("1953:00:00 00:00:00", "1953"),
      ("1953:07:00 00:00:00", "1953-07"), ("1953:01:01 00:00:00", "1953-01-01T00:00:00"), ("0000:00:00 00:00:00", nil),
      ("2024:02:30 00:00:00", nil), ("    :  :     :  :  ", nil),
    ] as [(String, String?)])
  func oddTimes(text: String, wall: String?) throws {
    let facts = try facts("a.jpg", "-n -EXIF:DateTimeOriginal='\(text)'")
    #expect(facts.taken?.wall.description == wall)
  }

  @Test(
    arguments: [
      ("exif:DateTimeOriginal", "1953", "1953"), ("photoshop:DateCreated", "1953-07", "1953-07"),
      ("xmp:CreateDate", "1953", "1953"), ("xmp:CreateDate", "0000", nil),
    ] as [(String, String, String?)])
  func yearsAndMonthsOfXMP(field: String, text: String, wall: String?) throws {
    let description =
      "<rdf:Description xmlns:exif=\"http://ns.adobe.com/exif/1.0/\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" "
      + "xmlns:photoshop=\"http://ns.adobe.com/photoshop/1.0/\" \(field)=\"\(text)\"/>"
    let picture = try Bench().tagged("a.jpg", "-all=")
    let inside = try Bench.decoder().facts(picture.adding(xmp: description))
    #expect(inside.taken?.wall.description == wall)
    let beside = try FileFacts(Bench.decoder().sidecar(.xmp, content: .xmp(description)))
    #expect(beside.taken?.wall.description == wall)
  }

  @Test(arguments: [("1953:07:00", "1953-07"), ("1953:00:00", "1953"), ("1953:07:15", "1953-07-15")])
  func yearsAndMonthsOfIPTC(day: String, wall: String) throws {
    #expect(try facts("a.jpg", "-n -IPTC:DateCreated=\(day)").taken?.wall.description == wall)
  }

  @Test(
    arguments: [
      ("tEXt", "Creation Time\0", "Thu, 09 Nov 2006 10:54:01 +0100", "2006-11-09T10:54:01", 3600),
      ("tEXt", "Creation Time\0", "2006-11-09T10:54:01Z", "2006-11-09T10:54:01", 0),
      ("iTXt", "Creation Time\0\0\0en\0Zeit\0", "2006:11:09 10:54:01", "2006-11-09T10:54:01", nil),
      ("iTXt", "Creation Time\0\u{1}\0\0\0", "2006:11:09 10:54:01", nil, nil),
      ("tEXt", "Creation Time\0", "11/09/06", nil, nil), ("tEXt", "Modify Time\0", "2006:11:09 10:54:01", nil, nil),
      ("tIME", "", "\u{7}\u{6C}\u{B}\u{9}\u{A}\u{36}\u{1}", nil, nil),
    ] as [(String, String, String, String?, Int32?)])
  func textsOfPNG(chunk: String, start: String, text: String, wall: String?, offset: Int32?) throws {
    var bytes = try Bench().quarters("a.png", width: 96, height: 64)
    // Behind the signature and the header.
    bytes.insert(contentsOf: PNGFile.chunk(chunk, Array((start + text).utf8)), at: 33)
    let facts = try Bench.decoder().facts(bytes)
    #expect(facts.taken?.wall.description == wall && facts.taken?.offset == offset)
    #expect(facts.says(.time).map(\.source) == (wall == nil ? [] : [.header]))
  }

  @Test func whatIsNoPlaceIsNone() throws {
    let facts = try facts(
      "a.jpg",
      """
      -EXIF:GPSLatitude=0 -EXIF:GPSLatitudeRef=N -EXIF:GPSLongitude=0 -EXIF:GPSLongitudeRef=E -EXIF:GPSAltitude=0 \
      -EXIF:ImageDescription='OLYMPUS DIGITAL CAMERA'
      """)
    #expect(facts.item.position == nil && facts.item.altitude == nil && facts.item.words.caption == nil)
  }

  @Test func keysOfVideosAreRead() throws {
    let bench = try Bench()
    try bench.writeQuarters(width: 96, height: 64)
    let key = "-metadata com.apple.quicktime."
    try bench.shell(
      """
      ffmpeg -v error -loop 1 -i quarters.ppm -t 1 -r 5 -c:v libx264 -pix_fmt yuv420p -movflags use_metadata_tags \
        \(key)creationdate=2024-05-06T07:08:09+0200 \(key)location.ISO6709=+48.8577+002.2950+035.000/ \(key)make=Agony \
        \(key)model='Model 7' \(key)title='K title' \(key)description='K caption' \(key)keywords='one,two' \
        \(key)content.identifier=ABCD-1 -metadata creation_time=2024-05-06T05:08:08Z a.mov
      """)
    let bytes = try bench.file("a.mov")
    let decoder = Bench.decoder()
    let facts = try decoder.facts(bytes)
    let item = facts.item
    #expect(item.links.contentIdentifier == "ABCD-1" && item.words.title == "K title")
    #expect(item.words.caption == "K caption" && item.words.tags == ["one", "two"])
    #expect(item.camera.make == "Agony" && item.camera.model == "Model 7" && item.altitude == 35)
    #expect(item.position == Position(latitude: 48.8577, longitude: 2.295))
    #expect(facts.taken?.wall.description == "2024-05-06T07:08:09" && facts.taken?.offset == 7200)
    #expect(facts.says(.time).map(\.source) == [.quickTime, .header])
    #expect(item.video.codec == "h264" && item.video.frameRate == 5 && item.width == 96 && item.height == 64)
    #expect(abs((item.video.duration ?? 0) - 1) < 0.3 && item.kind == .quickTime)
    // Whether a frame is decoded or not, the facts are the same.
    let made = try decoder.derive([.small], eagerly: true, from: MemorySource(bytes))
    #expect(made.found == (try decoder.facts(of: MemorySource(bytes), small: made.small)))
  }

  /// What is said before the damage is found, and what kind of file it is at least.
  @Test func whatCannotBeDecodedHasFacts() throws {
    let decoder = Bench.decoder()
    let bytes = try Bench().tagged("a.jpg", Self.exif)
    let frame = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && [0xC0, 0xC2].contains(bytes[$0 + 1]) })
    let photo = try decoder.facts(Array(bytes.prefix(frame)))
    #expect(photo.item.kind == .jpeg && photo.item.width == 0 && photo.item.camera.model == "Model 7")
    #expect(photo.taken?.wall.description == "2024-05-06T07:08:09.25")
    let video = try decoder.facts(Array(try Bench().tagged("a.mp4", Self.xmp).prefix(600)))
    #expect(video.item.kind == .mp4 && video.item.camera.model == nil)
  }

  @Test func theVideoOfAMotionPhotoIsFound() throws {
    let bench = try Bench()
    let video = try bench.tagged("a.mp4", "-Keys:Title=x")
    let old = try bench.tagged(
      "a.jpg", "-XMP-GCamera:MicroVideo=1 -XMP-GCamera:MicroVideoVersion=1 -XMP-GCamera:MicroVideoOffset=\(video.count)"
    )
    let items = [("image/jpeg", "Primary", 0), ("video/mp4", "MotionPhoto", video.count)].map {
      mime, semantic, length in
      """
      <rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="\(mime)" Item:Semantic="\(semantic)"
      Item:Length="\(length)" Item:Padding="0"/></rdf:li>
      """
    }
    let new = try bench.tagged("b.jpg", "-all=").adding(
      xmp: """
        <rdf:Description xmlns:Container="http://ns.google.com/photos/1.0/container/"
        xmlns:Item="http://ns.google.com/photos/1.0/container/item/"><Container:Directory><rdf:Seq>\(items.joined())
        </rdf:Seq></Container:Directory></rdf:Description>
        """)
    let decoder = Bench.decoder()
    for photo in [old, new] {
      let range = UInt64(photo.count)..<UInt64(photo.count + video.count)
      #expect(try decoder.facts(photo + video).item.links.motion == range)
      // No video begins there.
      #expect(try decoder.facts(photo + [UInt8](repeating: 1, count: video.count)).item.links.motion == nil)
      #expect(try decoder.facts(photo).item.links.motion == nil)
    }
  }

  @Test func theVideoInASamsungTrailerIsFound() throws {
    let bench = try Bench()
    let photo = try bench.tagged("a.jpg", "-all=")
    let video = try bench.tagged("a.mp4", "-Keys:Title=x")
    let decoder = Bench.decoder()
    let trailer = SamsungTrailerBuilder([
      (0x0A01, "Image_UTC_Data", Array("1".utf8)), (0x0A30, "MotionPhoto_Data", video),
    ])
    let whole = photo + trailer.bytes
    let start = UInt64(photo.count + trailer.starts[1])
    #expect(try decoder.facts(whole).item.links.motion == start..<start + UInt64(video.count))
    try bench.write(whole, to: "whole.jpg")
    #expect(try bench.shell("exiftool -b -EmbeddedVideoFile whole.jpg") == video)
    // Half of it, other fields, no video, and lengths that lie.
    #expect(try decoder.facts(Array(whole.dropLast())).item.links.motion == nil)
    #expect(try decoder.facts(photo + SamsungTrailerBuilder([(0x0A01, "a", video)]).bytes).item.links.motion == nil)
    let other = SamsungTrailerBuilder([(0x0A30, "MotionPhoto_Data", Array("no video".utf8))])
    #expect(try decoder.facts(photo + other.bytes).item.links.motion == nil)
    var generator = SplitMix64(seed: 3)
    for _ in 0..<60 {
      var bytes = whole
      for _ in 0..<3 {
        let place = Int.random(in: bytes.count - 60..<bytes.count - 4, using: &generator)
        bytes[place] = .random(in: 0...255, using: &generator)
      }
      if let motion = try decoder.facts(bytes).item.links.motion { #expect(motion.upperBound <= UInt64(bytes.count)) }
    }
  }

  @Test func facesAreNamedAndPointsOfFocusAreNot() throws {
    let area = "Area={X=0.5,Y=0.5,W=0.1,H=0.1,Unit=normalized}"
    let facts = try facts(
      "a.jpg",
      """
      -XMP-mwg-rs:RegionInfo='{AppliedToDimensions={W=96,H=64,Unit=pixel},RegionList=[{Name=Anna,Type=Face,\(area)},\
      {Name=Point,Type=Focus,\(area)}]}'
      """)
    #expect(facts.item.words.people == ["Anna"])
  }

  @Test func applesIdentifiersAreRead() throws {
    let note = Array("Apple iOS\0\0\u{1}MM".utf8)
    let inner = TIFFBuilder(isLittleEndian: false)
      .directory([(0x0B, .ascii("BURST-UUID")), (0x11, .ascii("CONTENT-UUID"))], at: 14)
    let bench = try Bench()
    let picture = try bench.tagged("a.jpg", "-all=")
    let exif = TIFFBuilder().file([[(34665, .directory([(37500, .undefined(note + inner))]))]])
    let links = try Bench.decoder().facts(picture.adding(exif: exif)).item.links
    #expect(links.contentIdentifier == "CONTENT-UUID" && links.burstIdentifier == "BURST-UUID")
  }

  @Test func derivativesComeWithTheSameFacts() throws {
    let bench = try Bench()
    let bytes = try bench.tagged("a.jpg", Self.exif + " " + Self.xmp)
    let decoder = Bench.decoder()
    let made = try decoder.derive(bytes)
    #expect(made.found == (try decoder.facts(of: MemorySource(bytes), small: made.small)))
    let item = try FileFacts(made.found).item
    // Red, green, blue and yellow in equal parts.
    let colour = try #require(item.meanColour)
    #expect(abs(Int(colour.red) - 127) < 12 && abs(Int(colour.green) - 118) < 12 && abs(Int(colour.blue) - 78) < 12)
    #expect(item.perceptualHash != nil && item.sources.first(.perceptualHash) == .pixels)
    #expect(try decoder.facts(bytes).item.perceptualHash == nil)
    let large = try decoder.derive([.large], eagerly: false, from: MemorySource(bytes))
    #expect(large.small == nil && large.found == made.found)
  }
}

/// What Samsung's cameras append to a JPEG.
private struct SamsungTrailerBuilder {
  private(set) var bytes: [UInt8] = []
  /// Where the content of each field begins.
  private(set) var starts: [Int] = []

  init(_ fields: [(type: Int, name: String, content: [UInt8])]) {
    func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
    var places: [(start: Int, size: Int)] = []
    for field in fields {
      let start = bytes.count
      bytes += [0, 0] + number(field.type, 2) + number(field.name.utf8.count, 4) + field.name.utf8
      starts.append(bytes.count)
      bytes += field.content
      places.append((start, bytes.count - start))
    }
    var directory = Array("SEFH".utf8) + number(101, 4) + number(fields.count, 4)
    for (field, place) in zip(fields, places) {
      directory += [0, 0] + number(field.type, 2) + number(bytes.count - place.start, 4) + number(place.size, 4)
    }
    bytes += directory + number(directory.count, 4) + "SEFT".utf8
  }
}
