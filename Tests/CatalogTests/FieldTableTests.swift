import Testing

@testable import Catalog

/// The tables of foreign fields, and what is put together of them.
@Suite struct FieldTableTests {
  /// Every row is in the article.
  @Test func theArticleHasAllRows() throws {
    let article = try #require(hostFile(packagePath("Sources/Catalog/Catalog.docc/Facts.md")))
    let text = String(decoding: article, as: UTF8.self)
    let names = [FieldTables.xmp, FieldTables.quickTime, FieldTables.header, FieldTables.takeout].joined().map(\.key)
    for name in names { #expect(text.contains("`\(name)`"), "\(name)") }
    for row in FieldTables.iptc { #expect(text.contains("\(row.key.record):\(row.key.number)")) }
    for row in FieldTables.exif + FieldTables.satellite {
      let pattern = try Regex("[ ,]\(row.key.tag)[ ,;]")
      #expect(text.contains(pattern), "\(row.key.tag)")
    }
  }

  private func facts(_ texts: [String: String], from source: FactSource = .xmp) -> [Fact] {
    var gatherer = FactGatherer()
    gatherer.take(FieldTables.xmp) { texts[$0].map { [$0] } ?? [] }
    var list = FactList()
    gatherer.add(to: &list, from: source)
    return list.facts
  }

  @Test func theFirstRowThatSaysSomethingCounts() {
    let found = facts([
      "exif:DateTimeOriginal": "0000-00-00", "photoshop:DateCreated": "2024-05-06", "dc:title[]": " ",
      "photoshop:Headline": "News", "xmp:Rating": "9", "MicrosoftPhoto:Rating": "75", "lr:hierarchicalSubject[]": "A|B",
    ])
    #expect(found.map(\.value.subject) == [.time, .rating, .title, .tags])
    #expect(found.map(\.value).suffix(3) == [.rating(4), .title("News"), .tags(["A/B"])])
  }

  @Test func sidesAndSigns() {
    let sided = facts(["exif:GPSLatitude": "48,51.504S", "exif:GPSLongitude": "2,17.67W", "exif:GPSAltitude": "355/10"])
    #expect(sided.first?.value == Position(latitude: -48.8584, longitude: -2.2945).map { .position($0) })
    #expect(sided.last?.value == .altitude(35.5))
    #expect(facts(["exif:GPSLatitude": "48,51.504", "exif:GPSLongitude": "2,17.67"], from: .exif).isEmpty)
    #expect(facts(["exif:GPSLatitude": "48,51.504N"]).isEmpty)
  }

  @Test(arguments: [("0", 35.5), ("1", -35.5), ("2", 35.5), ("3", -35.5)])
  func altitudesBelowAreNegative(side: String, metres: Double) {
    #expect(facts(["exif:GPSAltitude": "355/10", "exif:GPSAltitudeRef": side]).map(\.value) == [.altitude(metres)])
    // A sign beside it says the same once more.
    guard metres < 0 else { return }
    #expect(facts(["exif:GPSAltitude": "-355/10", "exif:GPSAltitudeRef": side]).map(\.value) == [.altitude(metres)])
  }

  /// Sides of EXIF, which are all that tells where it is.
  @Test(arguments: [("N", "W", true), ("south", "e", true), ("N", "", false), ("X", "E", false), ("E", "N", false)])
  func sidesThatThereAre(north: String, east: String, isPlace: Bool) {
    let texts = [
      ExifKey(.places, 2): "48", ExifKey(.places, 4): "2", ExifKey(.places, 1): north, ExifKey(.places, 3): east,
    ]
    var list = FactList()
    list.add(FieldTables.exif, from: .exif) { texts[$0].map { [$0] } ?? [] }
    #expect(list.facts.isEmpty != isPlace)
  }

  /// Nothing is known of the height where nothing is known of the place.
  @Test(arguments: ["+00.0000+000.0000+012.5/", "+99.0000+000.0000+012.5/", "+4861.00+00217.00+012.5/"])
  func placesThatAreNoneHaveNoAltitude(text: String) {
    var list = FactList()
    list.add(FieldTables.quickTime, from: .quickTime) { $0 == "location" ? [text] : [] }
    #expect(list.facts.isEmpty)
  }

  @Test(
    arguments: [
      ("20240506", "070809+0200", "2024-05-06 07:08:09+0200"), ("20240506", "070809", "2024-05-06 07:08:09"),
      ("2024:05:06", "7/1 8/1 95/10", "2024:05:06 07:08:09"), ("20240506", "", "2024-05-06"),
      ("2024:05:06", "25/1 0/1 0/1", nil), ("2024:05:06", "0/0 0/1 0/1", nil),
    ] as [(String, String, String?)])
  func daysAndClocks(day: String, clock: String, time: String?) {
    #expect(FactText.joined(day: day, clock: clock) == time)
  }
}
