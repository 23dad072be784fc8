import Catalog
import Glibc
import TestSupport
import Testing

@testable import Media

/// Every field that the decoder reads is what exiftool reads in the same file, or there is a reason here.
@Suite(.timeLimit(.minutes(10))) struct AgreementTests {
  /// Where exiftool has a field: the first that it has in a file is what is meant.
  static let places: [(FactValue.Subject, [String])] = [
    (.make, ["IFD0:Make", "XMP-tiff:Make", "Keys:Make", "UserData:Make"]),
    (.model, ["IFD0:Model", "XMP-tiff:Model", "Keys:Model", "UserData:Model"]),
    (.lens, ["ExifIFD:LensModel", "XMP-exifEX:LensModel", "XMP-aux:Lens"]),
    (.iso, ["ExifIFD:ISO", "XMP-exif:ISO"]), (.exposure, ["ExifIFD:ExposureTime", "XMP-exif:ExposureTime"]),
    (.aperture, ["ExifIFD:FNumber", "XMP-exif:FNumber"]),
    (.focalLength, ["ExifIFD:FocalLength", "XMP-exif:FocalLength"]),
    (.title, ["XMP-dc:Title", "XMP-photoshop:Headline", "IPTC:ObjectName", "IFD0:XPTitle", "Keys:Title"]),
    (
      .caption,
      ["XMP-dc:Description", "IPTC:Caption-Abstract", "IFD0:ImageDescription", "IFD0:XPComment", "ExifIFD:UserComment"]
    ),
    (.rating, ["XMP-xmp:Rating", "XMP-acdsee:Rating", "IFD0:Rating", "FujiFilm:Rating", "Sony:Rating"]),
    (.position, ["Composite:GPSPosition"]),
    (.altitude, ["Composite:GPSAltitude"]),
    (
      .time,
      [
        "Composite:SubSecDateTimeOriginal", "ExifIFD:DateTimeOriginal", "Composite:SubSecCreateDate",
        "ExifIFD:CreateDate", "Composite:SubSecModifyDate", "IFD0:ModifyDate", "XMP-exif:DateTimeOriginal",
        "XMP-photoshop:DateCreated", "XMP-xmp:CreateDate", "Composite:DateTimeCreated", "Keys:CreationDate",
        "QuickTime:CreateDate",
      ]
    ),
    (.duration, ["QuickTime:Duration"]), (.frameRate, ["Track1:VideoFrameRate", "Track2:VideoFrameRate"]),
    (.contentIdentifier, ["Apple:ContentIdentifier", "Keys:ContentIdentifier"]),
    (.burstIdentifier, ["Apple:BurstUUID"]), (.projection, ["XMP-GPano:ProjectionType"]),
  ]

  /// Zones and parts of a second, keywords of Windows, faces, and a point of focus that is none.
  private static let faces = """
    -EXIF:DateTimeOriginal='2024:05:06 07:08:09' -EXIF:SubSecTimeOriginal=125 -EXIF:OffsetTimeOriginal=-03:30 \
    -EXIF:XPKeywords='one;two' -XMP-iptcExt:PersonInImage=Bob -XMP-GPano:ProjectionType=cylindrical \
    -XMP-mwg-rs:RegionInfo='{AppliedToDimensions={W=96,H=64,Unit=pixel},RegionList=[\
    {Name=Anna,Type=Face,Area={X=0.5,Y=0.5,W=0.1,H=0.1,Unit=normalized}},\
    {Name=Point,Type=Focus,Area={X=0.5,Y=0.5,W=0.1,H=0.1,Unit=normalized}}]}'
    """

  /// Why a field of a file differs, by the end of its path.
  static let reasons: [String: [FactValue.Subject: String]] = [
    "Olympus C720UZ.jpg": [.caption: "the camera writes OLYMPUS DIGITAL CAMERA into every photo; it is no caption"]
  ]

  private static func number(_ text: String) -> Double? { Double(text.split(separator: " ").first ?? "") }

  private static func isClose(_ one: Double?, _ other: Double?) -> Bool {
    guard let one, let other else { return false }
    return abs(one - other) <= max(abs(one), abs(other)) * 1e-3 + 1e-6
  }

  /// Whether a value of ours is what exiftool says; nil if exiftool says nothing that is a value at all.
  private static func agrees(_ subject: FactValue.Subject, _ facts: FileFacts, _ said: String) -> Bool? {
    let item = facts.item
    func text(_ ours: String?) -> Bool? {
      let said = said.split(separator: " ").joined(separator: " ")
      // In exiftool's lines a full stop stands for a control character.
      let plain = ours.map { String($0.map { $0.isNewline ? "." : $0 }).split(separator: " ").joined(separator: " ") }
      if said.isEmpty, plain == nil { return nil }
      return plain == said
    }
    func number(_ ours: Double?) -> Bool? {
      guard let said = Self.number(said), said != 0 || ours != nil else { return nil }
      return isClose(ours, said)
    }
    switch subject {
    case .make: return text(item.camera.make)
    case .model: return text(item.camera.model)
    case .lens: return text(item.camera.lens)
    case .title: return text(item.words.title)
    case .caption: return text(item.words.caption)
    case .contentIdentifier: return text(item.links.contentIdentifier)
    case .burstIdentifier: return text(item.links.burstIdentifier)
    case .iso: return number(item.camera.iso.map(Double.init))
    case .exposure: return number(item.camera.exposure)
    case .aperture: return number(item.camera.aperture)
    case .focalLength: return number(item.camera.focalLength)
    case .rating: return number(item.words.rating.map(Double.init))
    case .altitude: return number(item.altitude)
    case .duration: return number(item.video.duration)
    case .frameRate: return number(item.video.frameRate)
    case .position:
      let parts = said.split(separator: " ").compactMap { Double($0) }
      guard parts.count == 2, parts != [0, 0] else { return nil }
      return isClose(item.position?.latitude, parts[0]) && isClose(item.position?.longitude, parts[1])
    case .projection: return text(item.projection.map { "\($0)" })
    case .time:
      guard FactValue(field: "taken", text: said) != nil else { return facts.taken == nil ? nil : false }
      // A time of the header is UTC; exiftool shows its numbers.
      let wall = facts.taken?.wall.description.replacing("T", with: " ").replacing("-", with: ":") ?? ""
      let time = ExiftoolTime(said)
      // What the first place does not say another may.
      return wall.prefix(19) == time.wall
        && (time.nanoseconds ?? facts.taken?.wall.nanoseconds) == facts.taken?.wall.nanoseconds
        && (time.offset ?? facts.taken?.offset) == facts.taken?.offset
    default: return nil
    }
  }

  private func compare(_ files: [String], _ bench: Bench) throws -> Int {
    let decoder = Bench.decoder()
    var compared = 0
    for path in files {
      let oracle = try ExiftoolOracle(path, bench)
      let bytes = try HostFile.read(path)
      let isSidecar = path.hasSuffix(".xmp")
      let facts =
        isSidecar ? try FileFacts(decoder.sidecar(.xmp, content: bytes)) : try decoder.facts(bytes)
      for (subject, places) in Self.places {
        let said = oracle.first(places)
        let reason = Self.reasons.first { path.hasSuffix($0.key) }?.value[subject]
        guard let said else {
          let extra = facts.says(subject).filter { ![.header, .satellite].contains($0.source) }
          #expect(extra.isEmpty || reason != nil, "\(path): \(subject): \(extra), exiftool says nothing")
          continue
        }
        guard let isSame = Self.agrees(subject, facts, said) else { continue }
        #expect(isSame != (reason != nil), "\(path): \(subject): \(facts.says(subject)), exiftool: \(said)")
        compared += 1
      }
      #expect(Set(facts.item.words.tags) == oracle.tags, "\(path)")
      #expect(Set(facts.item.words.people) == oracle.people, "\(path)")
      if let codec = oracle.codec { #expect(facts.item.video.codec == codec, "\(path)") }
      let motion = facts.item.links.motion
      #expect(motion.map { UInt64($0.count) } == oracle.motionBytes, "\(path)")
      if let motion { #expect(motion.upperBound == UInt64(bytes.count), "\(path)") }
      compared += oracle.tags.count + oracle.people.count
      let sides = [oracle["File:ImageWidth"], oracle["File:ImageHeight"]].compactMap { $0.flatMap { Int($0) } }
      if sides.count == 2 { #expect(sides.sorted() == [facts.item.width, facts.item.height].sorted(), "\(path)") }
    }
    return compared
  }

  @Test func onMadeFiles() throws {
    let bench = try Bench()
    var files: [String] = []
    for ending in ["jpg", "png", "webp", "tif", "heic", "avif"] {
      for (name, tags) in [("exif", FileFactsTests.exif), ("xmp", FileFactsTests.xmp)] {
        let file = "\(name).\(ending)"
        files.append(try bench.write(bench.tagged(file, tags), to: file))
      }
    }
    for name in ["a.mp4", "a.mov"] {
      let tags =
        "-Keys:Make=Agony -Keys:Title=x -Keys:CreationDate='2024:05:06 07:08:09+02:00' -Keys:GPSCoordinates='48.8577, 2.295, 35'"
      files.append(try bench.write(bench.tagged(name, tags), to: name))
    }
    files.append(try bench.write(bench.tagged("iptc.jpg", FileFactsTests.iptc), to: "iptc.jpg"))
    files.append(try bench.write(bench.tagged("faces.jpg", Self.faces), to: "faces.jpg"))
    let video = try bench.file("a.mp4")
    let photo = try bench.tagged(
      "motion.jpg",
      "-XMP-GCamera:MicroVideo=1 -XMP-GCamera:MicroVideoVersion=1 -XMP-GCamera:MicroVideoOffset=\(video.count)")
    files.append(try bench.write(photo + video, to: "motion.jpg"))
    try bench.shell("exiftool -q \(FileFactsTests.xmp) -o side.xmp")
    files.append(try bench.write(bench.file("side.xmp"), to: "side.xmp"))
    #expect(try compare(files, bench) > 100)
  }

  @Test(PhotosTests.ifThere) func onRealPhotos() throws {
    let bench = try Bench()
    let list = String(
      decoding: try bench.shell("find '\(PhotosTests.folder)/' -type f ! -name '*.md' | sort"), as: UTF8.self)
    #expect(try compare(list.split(separator: "\n").map(String.init), bench) > 100)
  }
}
