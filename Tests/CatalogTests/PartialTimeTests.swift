import Media
import TestSupport
import Testing

@testable import Catalog

/// Times of which only the year, or the month, is known.
@Suite struct PartialTimeTests {
  @Test(
    arguments: [
      ("1953", "1953"), ("1953-07", "1953-07"), ("1953:00:00 00:00:00", "1953"), ("1953:07:00", "1953-07"),
      ("1953:07:00 00:00:00\u{0}", "1953-07"), ("1953:07:  ", "1953-07"), ("1993:08:  :  :  :  ", "1993-08"),
      ("1993:08:     :  :  ", "1993-08"), ("1953:  :     :  :  ", "1953"), ("1953-00-00T00:00:00Z", "1953"),
      ("1953-07-00T00:00:00.000+00:00", "1953-07"), ("1953/07", "1953-07"), (" 1953 ", "1953"),
      ("0001", "0001"), ("9999-12", "9999-12"), ("1953: 7", "1953-07"),
      // These are days and times.
      ("1953:01:01 00:00:00", "1953-01-01T00:00:00"), ("1953-01-01", "1953-01-01"),
      ("2000:10:10 00:00", "2000-10-10T00:00"),
    ])
  func reads(text: String, wall: String) throws {
    guard case .wall(let found, nil) = try #require(TimeText.parse(text.utf8)) else {
      Issue.record("\(text)")
      return
    }
    #expect(found.description == wall)
    #expect(TimeText.parse(found.description.utf8) == .wall(found, offset: nil))
  }

  @Test(arguments: [
    "0000", "0000:00:00", "0000-07", "1953-13", "1953:13:00", "1953-00-07", "1953-7", "1953-0", "1953-07-0", "1953-",
    "1953-07-", "1953T", "19530000", "195307", "1953-07 12:00:00", "1953:00:00 12:00:00", "1953:07:31:00", "953",
    "19533",
    "1953 or so", "1953-07x", "1953:00-07",
  ])
  func isNoTime(text: String) { #expect(TimeText.parse(text.utf8) == nil) }

  @Test func secondsSince1970AreNoYear() {
    #expect(FactText.time("2010000000") == WallTime(seconds: 2_010_000_000).map { .universal($0) })
  }

  @Test func whatIsNotKnownIsCutOff() throws {
    for (year, month, days) in [(1953, 2, 28), (1956, 2, 29), (1900, 12, 31), (9999, 12, 31), (1, 1, 31)] {
      let date = try #require(CivilDate(year: year, month: month, day: days))
      let last = date.daysSince1970 * 86_400 + 86_399
      let asMonth = try #require(WallTime(seconds: last, nanoseconds: 5, precision: .month))
      #expect(asMonth == WallTime(year: year, month: month) && asMonth.nanoseconds == 0)
      #expect(asMonth.date.day == 1 && asMonth.secondOfDay == 0 && asMonth.end == last + 1)
      #expect(asMonth.knownMonth == month && asMonth.knownDay == nil)
      let asYear = try #require(WallTime(seconds: last, precision: .year))
      #expect(asYear == WallTime(year: year) && asYear.date == CivilDate(year: year, month: 1, day: 1))
      #expect(asYear.end - asYear.seconds == (CivilDate.isLeap(year) ? 366 : 365) * 86_400)
      #expect(asYear.knownMonth == nil && asYear.knownDay == nil)
      #expect(asYear.seconds <= asMonth.seconds && asMonth.end <= asYear.end)
    }
    #expect(WallTime(year: 0) == nil && WallTime(year: 10_000) == nil && WallTime(year: 1953, month: 13) == nil)
  }

  /// A zone says nothing about a year, and a person's year is not replaced by what a scanner says.
  @Test func zonesDoNotCount() throws {
    let paris = try ZoneTests.rules("Europe/Paris")
    let scan = try #require(captured("2010-05-06T07:08:09+02:00", from: .exif))
    for text in ["1953", "1953-07"] {
      guard case .wall(let wall, _) = try #require(TimeText.parse(text.utf8)) else { return }
      for value in [TimeCandidate.Value.wall(wall, offset: nil), .universal(wall)] {
        let found = CapturedTime.resolve(
          [
            TimeCandidate(.wall(scan.wall, offset: 7200), from: .exif), TimeCandidate(value, from: .sidecar),
            TimeCandidate(.universal(scan.wall), from: .fileTime),
          ], zone: paris)
        #expect(found == CapturedTime(wall: wall, source: .sidecar), "\(text)")
      }
    }
  }

  @Test func noShiftIsAsExact() throws {
    let day = try #require(TimeShift("+31d"))
    for wall in [WallTime(year: 1953), WallTime(year: 1953, month: 7)] { #expect(day.moved(try #require(wall)) == nil) }
    let year = try #require(TimeShift("+365d"))
    #expect(year.moved(try #require(WallTime(year: 1953))) == nil)
  }

  @Test func factsComeBack() throws {
    let wall = try #require(WallTime(year: 1953))
    let month = try #require(WallTime(year: 1953, month: 7))
    for value in [FactValue.time(.wall(wall, offset: nil)), .time(.wall(month, offset: nil)), .time(.universal(month))]
    {
      let list = FactList(facts: [Fact(value, from: .xmp)])
      #expect(try FactList(decoding: list.encoded) == list, "\(value)")
      // Version 1.0.0 refuses a list with a time like that, so for it this is a digest of pixels, of which it takes no notice.
      let stored = list.encoded
      #expect(stored.count == 34 && stored[0] == FactValue.Subject.pixelDigest.rawValue)
    }
    let zoned = FactList(facts: [Fact(.time(.wall(month, offset: 3600)), from: .xmp)])
    #expect(throws: (any Error).self) { try FactList(decoding: zoned.encoded) }
  }

  /// Only what is known in part stands in the place of a digest, and only there, in one form.
  @Test func theStoredFormIsTheOnlyOne() throws {
    let year = try #require(WallTime(year: 1953))
    let stored = FactList(facts: [Fact(.time(.wall(year, offset: nil)), from: .xmp)]).encoded
    // Two bytes, and the mark.
    let time = Array(stored[18...])
    func refuses(_ bytes: [UInt8]) -> Bool { (try? FactList(decoding: bytes)) == nil }
    let plain = [FactValue.Subject.time.rawValue, FactSource.xmp.rawValue]
    let size = try #require(time.lastIndex(where: { $0 != 0 })) + 1
    #expect(refuses(plain + Array(time[..<size])))
    let day = FactList(facts: [Fact(.time(.wall(WallTime(date: year.date), offset: nil)), from: .xmp)]).encoded
    var padded = Array(stored[..<18]) + Array(day[2...])
    padded += [UInt8](repeating: 0, count: stored.count - padded.count)
    #expect(!refuses(day) && refuses(padded))
    for index in 18 + size..<34 {
      var other = stored
      other[index] = 1
      #expect(refuses(other))
    }
    let digest = FactValue.pixelDigest(Array(stored[2...]))
    #expect(!digest.isPossible && FactValue.pixelDigest(Array(stored[2...].reversed())).isPossible)
  }

  private func time<Key>(_ table: [FieldMapping<Key>], _ texts: [Key: String], _ source: FactSource) -> String? {
    var list = FactList()
    list.add(table, from: source) { texts[$0].map { [$0] } ?? [] }
    guard case .time(.wall(let wall, _))? = list.facts.first?.value else { return nil }
    return wall.description
  }

  @Test func formatsSayThem() {
    for key in ["photoshop:DateCreated", "exif:DateTimeOriginal", "xmp:CreateDate"] {
      #expect(time(FieldTables.xmp, [key: "1953"], .xmp) == "1953")
      #expect(time(FieldTables.xmp, [key: "1953-07"], .sidecar) == "1953-07")
    }
    let taken = ExifKey(.details, 36867)
    #expect(time(FieldTables.exif, [taken: "1953:00:00 00:00:00"], .exif) == "1953")
    // The scanner's own time does not count.
    #expect(
      time(FieldTables.exif, [taken: "1953:07:  ", ExifKey(.details, 36868): "2010:05:06 07:08:09"], .exif) == "1953-07"
    )
    let (day, clock) = (DatasetKey(2, 55), DatasetKey(2, 60))
    for (text, wall) in [
      ("19530000", "1953"), ("19530700", "1953-07"), ("19530715", "1953-07-15"), ("00000000", nil),
    ] as [(String, String?)] {
      #expect(time(FieldTables.iptc, [day: text], .iptc) == wall, "\(text)")
    }
    #expect(time(FieldTables.iptc, [day: "19530700", clock: "000000+0000"], .iptc) == "1953-07")
  }

  /// Players of music want a year, and the file's header has the whole time.
  @Test func theYearOfAVideoIsNone() {
    #expect(time(FieldTables.quickTime, ["date": "2019"], .quickTime) == nil)
    #expect(time(FieldTables.quickTime, ["date": "2019-05-06"], .quickTime) == "2019-05-06")
    let both = ["com.apple.quicktime.creationdate": "2019", "date": "2019-05-06T07:08:09"]
    #expect(time(FieldTables.quickTime, both, .quickTime) == "2019-05-06T07:08:09")
  }

  static let items: [MediaItem] = ["1953", "1953-07", "1953-07-01", "1953-07-01T00:00:00", "1954"].enumerated().map {
    var item = MediaItem(inode: UInt64($0 + 1), names: [ItemName("\($1).jpg")], kind: .jpeg)
    item.taken = captured($1)
    return item
  }

  /// Found is what lies in the time as a whole.
  @Test(
    arguments: [
      ("date:1953", [1, 2, 3, 4]), ("date:1953-07", [2, 3, 4]), ("date:1953-07-01", [3, 4]), ("date:1953-01", []),
      ("date:1953-01-01", []), ("date:1950..1959", [1, 2, 3, 4, 5]), ("date:1953-07..1954", [2, 3, 4, 5]),
      ("date:1953-01..1953-11", [2, 3, 4]), ("date:1953..1953-12", [1, 2, 3, 4]), ("date:..1953-06", []),
      ("date:1953..", [1, 2, 3, 4, 5]), ("before:1953-07-02", [3, 4]), ("before:1954", [1, 2, 3, 4]),
      ("after:1953", [5]), ("date:>=1953-01-02", [2, 3, 4, 5]), ("-date:1953-07", [1, 5]), ("date:*-07", [2, 3, 4]),
      ("date:*-07-01", [3, 4]), ("date:*-01", []), ("date:*-01-01", []), ("has:time", [1, 2, 3, 4, 5]),
      ("has:month", [2, 3, 4]), ("has:day", [3, 4]), ("-has:day", [1, 2, 5]), ("-has:month date:1953", [1]),
    ] as [(String, [UInt64])])
  func isFound(text: String, inodes: [UInt64]) throws {
    let query = try QueryParser.parse(text)
    #expect(Self.items.filter(query.answers).map(\.inode) == inodes)
  }

  @Test func itSortsAtTheBeginning() {
    let items = Self.items + Library.items
    let sorted = SortOrder(.time, isDescending: false).sorted(items.reversed())
    #expect(sorted.prefix(5).map(\.inode) == [1, 2, 3, 4, 5])
  }

  @Test func itHasAGroupOfItsOwn() throws {
    func titles(_ field: GroupField) -> [String?] { Grouping.of(Self.items, to: .all, by: field).map(\.title) }
    #expect(titles(.day) == ["1954", "1953-07-01", "1953-07", "1953"])
    #expect(titles(.month) == ["1954", "1953-07", "1953"])
    #expect(titles(.year) == ["1954", "1953"])
  }
}
