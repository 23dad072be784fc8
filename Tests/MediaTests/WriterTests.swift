import Catalog
import Testing

@testable import Media

/// Positions, ratings, tags and people as each writer keeps them. What exiftool reads in the same file is what must be
/// read; where it is not on purpose, the article on facts says why.
@Suite(.timeLimit(.minutes(5))) struct WriterTests {
  private static let south: [(Int32, Int32)] = [(-33, 1), (0, 1), (0, 1)]
  private static let west: [(Int32, Int32)] = [(-70, 1), (0, 1), (0, 1)]

  /// With sides, with signs, and with sides beside signs.
  static let positions: [WriterFile] = {
    var files: [WriterFile] = []
    for (north, east, side) in [("N", "E", 0), ("N", "W", 0), ("S", "E", 1), ("S", "W", 1)] {
      files.append(
        .exiftool(
          """
          -EXIF:GPSLatitude=33.5 -EXIF:GPSLatitudeRef=\(north) -EXIF:GPSLongitude=70.51 -EXIF:GPSLongitudeRef=\(east) \
          -EXIF:GPSAltitude=12.5 -EXIF:GPSAltitudeRef=\(side)
          """))
    }
    files += [
      .position(south, "S", west, "W"), .position(south, "N", west, "E"), .position(south, "S", west, "E"),
      .position([(-3385, 100)], "S", [(-7051, 100)], "W"),
      .position([(33, 1), (30, 1)], "S", [(70, 1), (3030, 100)], "W"),
      .position([(33, 1), (30, 1), (3024, 100)], "south", [(70, 1), (30, 1), (3024, 100)], "w"),
      .position([(33, 1), (30, 1), (0, 0)], "N", [(70, 1), (30, 1), (0, 0)], "E"),
      .exiftool("-XMP:GPSLatitude=-33.5 -XMP:GPSLongitude=-70.5 -XMP:GPSAltitude=12.5 -XMP:GPSAltitudeRef=1"),
    ]
    return files
  }()

  static let positionsInXMP: [WriterFile] = [
    ("48,51.5N", "2,17.7W", "125/10", "0"), ("48,51,30N", "2,17,42E", "125/10", "1"),
    ("48.8583", "-2.295", "-12.5", "1"), ("-48.8583", "2.295", "12", "0"), ("48.8583S", "2.295W", "12", "0"),
    ("48,51.5s", "2,17.7w", "12", "0"), ("48.8583 N", "2,17.7 E", "12", "0"), ("48,51,30.24N", "2,17,42.5W", "0", "0"),
  ].map { north, east, height, side in
    WriterFile.xmp(
      """
      <rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="\(north)" \
      exif:GPSLongitude="\(east)" exif:GPSAltitude="\(height)" exif:GPSAltitudeRef="\(side)"/>
      """)
  }

  /// The three forms of ISO 6709, with and without what may be behind them.
  static let positionsOfVideos: [WriterFile] = {
    var files: [WriterFile] = []
    for key in ["com.apple.quicktime.location.ISO6709", "location"] {
      for text in [
        "+48.8577+002.2950/", "-33.8599-070.5000+012.5CRSWGS_84/", "+48.8577-002.2950-012.5/", "+48.8577+002.2950",
        "+4851.462+00217.7/", "-4851.462-00217.7+035.5CRSWGS_84/", "+485127.72+0021742/", "-485127.72-0021742.5-012.5/",
        "+4851.462+00217.7",
      ] { files.append(.video(key, text)) }
    }
    for ending in ["mov", "mp4"] {
      for group in ["Keys", "UserData", "ItemList"] {
        files.append(.exiftool("-\(group):GPSCoordinates=-33.8599 70.5 12.5", in: ending))
      }
      files.append(.exiftool("-XMP:GPSLatitude=-33.5 -XMP:GPSLongitude=-70.5", in: ending))
    }
    return files
  }()

  static let ratings: [WriterFile] = {
    var files: [WriterFile] = []
    for stars in [-1, 0, 1, 3, 5] {
      files += [.exiftool("-XMP-xmp:Rating=\(stars)"), .exiftool("-XMP-acdsee:Rating=\(stars)")]
    }
    for stars in [0, 1, 5] { files.append(.exiftool("-EXIF:Rating=\(stars)")) }
    for percent in [0, 1, 25, 50, 75, 99] {
      files += [
        .exiftool("-EXIF:RatingPercent=\(percent)"), .exiftool("-XMP-microsoft:RatingPercent=\(percent)"),
        .exiftool("-Microsoft:SharedUserRating=\(percent)", in: "mp4"),
      ]
    }
    files += [
      .exiftool("-Keys:UserRating=4", in: "mov"), .exiftool("-Keys:UserRating=2", in: "mp4"),
      .exiftool("-EXIF:Rating=4 -EXIF:RatingPercent=75 -XMP-xmp:Rating=2"),
      .exiftool("-Microsoft:SharedUserRating=75 -Microsoft:Category=one -Microsoft:Title=x", in: "mov"),
      .note(Array("FUJIFILM".utf8) + [12, 0, 0, 0], 0x1431, 4), .note(Array("SONY DSC \0\0\0".utf8), 0x2002, 3),
    ]
    return files
  }()

  /// All namespaces with a slash at their end and without, under their usual prefixes and under others.
  static let namespaces: [WriterFile] = {
    var files: [WriterFile] = []
    for slash in ["", "/"] {
      for (uri, name, item) in [
        ("purl.org/dc/elements/1.1", "subject", "one"), ("www.digikam.org/ns/1.0", "TagsList", "a/b"),
        ("ns.adobe.com/lightroom/1.0", "hierarchicalSubject", "a|b"),
        ("iptc.org/std/Iptc4xmpExt/2008-02-29", "PersonInImage", "Anna"),
      ] {
        files.append(
          .xmp(
            """
            <rdf:Description xmlns:p="http://\(uri)\(slash)"><p:\(name)><rdf:Bag><rdf:li>\(item)</rdf:li></rdf:Bag>\
            </p:\(name)></rdf:Description>
            """))
      }
      for (prefix, uri, name, value) in [
        ("xmp", "ns.adobe.com/xap/1.0", "Rating", "3"), ("p", "ns.adobe.com/xap/1.0", "Rating", "4"),
        ("MicrosoftPhoto", "ns.microsoft.com/photo/1.0", "Rating", "75"),
        ("p", "ns.microsoft.com/photo/1.0", "Rating", "25"), ("acdsee", "ns.acdsee.com/iptc/1.0", "rating", "2"),
      ] {
        files.append(
          .xmp("<rdf:Description xmlns:\(prefix)=\"http://\(uri)\(slash)\" \(prefix):\(name)=\"\(value)\"/>"))
      }
      files += [
        .xmp(
          """
          <rdf:Description xmlns:p="http://ns.microsoft.com/photo/1.2\(slash)" \
          xmlns:q="http://ns.microsoft.com/photo/1.2/t/RegionInfo#" \
          xmlns:r="http://ns.microsoft.com/photo/1.2/t/Region#"><p:RegionInfo rdf:parseType="Resource"><q:Regions>\
          <rdf:Bag><rdf:li r:PersonDisplayName="Anna" r:Rectangle="0.1, 0.1, 0.1, 0.1"/></rdf:Bag></q:Regions>\
          </p:RegionInfo></rdf:Description>
          """),
        .xmp(
          """
          <rdf:Description xmlns:p="http://www.metadataworkinggroup.com/schemas/regions\(slash)">\
          <p:Regions rdf:parseType="Resource"><p:RegionList><rdf:Bag><rdf:li p:Name="Anna" p:Type="Face"/></rdf:Bag>\
          </p:RegionList></p:Regions></rdf:Description>
          """),
      ]
    }
    return files
  }()

  private static func isClose(_ one: [Double], _ other: [Double]) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) < 1e-6 }
  }

  private static func place(_ item: MediaItem) -> [Double] {
    item.position.map { [$0.latitude, $0.longitude] + (item.altitude.map { [$0] } ?? []) } ?? []
  }

  @Test(arguments: [positions, positionsInXMP, positionsOfVideos, ratings, namespaces])
  func readAsExiftoolReadsIt(files: [WriterFile]) throws {
    let bench = try Bench()
    let names = try bench.make(files)
    let oracles = try ExiftoolOracle.all(names, bench)
    try #require(oracles.count == files.count)
    for ((file, facts), oracle) in zip(zip(files, try bench.facts(names)), oracles) {
      let (item, place) = (facts.item, oracle.place)
      #expect(Self.isClose(Self.place(item), place), "\(file): \(Self.place(item)), exiftool: \(place)")
      #expect(item.words.rating == oracle.rating, "\(file)")
      #expect(Set(item.words.tags) == oracle.tags && Set(item.words.people) == oracle.people, "\(file)")
    }
    // Something is said in all of them but in those that say that nothing is known.
    let silent = oracles.filter { $0.place.isEmpty && $0.rating == nil && $0.tags.isEmpty && $0.people.isEmpty }
    #expect(silent.count <= 1)
  }

  /// What exiftool reads otherwise, or not at all: with our values.
  @Test func readOtherwiseOnPurpose() throws {
    func xmp(_ latitude: String, _ longitude: String) -> WriterFile {
      .xmp(
        """
        <rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="\(latitude)" \
        exif:GPSLongitude="\(longitude)"/>
        """)
    }
    let place = """
      -EXIF:GPSLatitude=33.5 -EXIF:GPSLatitudeRef=N -EXIF:GPSLongitude=70.5 -EXIF:GPSLongitudeRef=E \
      -EXIF:GPSAltitude=12.5
      """
    let rows: [(file: WriterFile, place: [Double], rating: Int?)] = [
      // Without sides a position in EXIF may be in either half of the world.
      (.position([(33, 1)], nil, [(70, 1)], "W"), [], nil), (.position([(33, 1)], "S", [(70, 1)], nil), [], nil),
      (.position([(33, 1)], "X", [(70, 1)], "X"), [], nil),
      // A sign counts for all parts, and says nothing beside a side.
      (.position([(-33, 1), (30, 1), (0, 1)], "S", [(-70, 1), (30, 1), (0, 1)], "W"), [-33.5, -70.5], nil),
      (xmp("-48,30", "-2,30"), [-48.5, -2.5], nil), (xmp("-48.5S", "-2.5W"), [-48.5, -2.5], nil),
      // No minutes are 61.
      (.video("location", "+4861+00217/"), [], nil),
      // An altitude is above unless it is said to be below, and two of the four numbers of Exif 3.0 say that.
      (.exiftool(place), [33.5, 70.5, 12.5], nil),
      (.exiftool(place + " -EXIF:GPSAltitudeRef=2"), [33.5, 70.5, 12.5], nil),
      (.exiftool(place + " -EXIF:GPSAltitudeRef=3"), [33.5, 70.5, -12.5], nil),
      // No stars are more than five, and percents in between are what Windows shows.
      (.exiftool("-EXIF:Rating=6"), [], nil), (.exiftool("-XMP-xmp:Rating=7"), [], nil),
      (.exiftool("-EXIF:RatingPercent=12"), [], 1), (.exiftool("-EXIF:RatingPercent=13"), [], 2),
      (.exiftool("-EXIF:RatingPercent=100"), [], 5), (.note(Array("SONY DSC \0\0\0".utf8), 0x2002, .max), [], nil),
      // Programs do not agree on what percents are.
      (.exiftool("-ItemList:RatingPercent=80", in: "mp4"), [], nil),
    ]
    let bench = try Bench()
    let names = try bench.make(rows.map(\.file))
    for (row, facts) in zip(rows, try bench.facts(names)) {
      #expect(Self.isClose(Self.place(facts.item), row.place), "\(row.file): \(Self.place(facts.item))")
      #expect(facts.item.words.rating == row.rating, "\(row.file)")
    }
  }
}
