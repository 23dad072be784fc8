import Media
import TestSupport
import Testing

@testable import Catalog

@Suite struct ZoneTests {
  static let names = [
    "Europe/Paris", "Europe/Dublin", "America/New_York", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe",
    "Africa/Casablanca",
    "Pacific/Apia", "Asia/Tehran", "America/Sao_Paulo", "Asia/Gaza", "Antarctica/Troll", "America/Metlakatla",
    "Asia/Manila", "Pacific/Chatham",
    "Europe/Lisbon", "America/Nuuk", "Africa/Monrovia", "UTC", "Etc/GMT+12", "Africa/Cairo",
  ]

  static func rules(_ name: String) throws -> ZoneRules {
    let bytes = try #require(hostFile("/usr/share/zoneinfo/" + name), "\(name)")
    return try #require(ZoneRules(tzif: bytes))
  }

  static func instants(_ rules: ZoneRules, _ numbers: inout SeededNumbers) -> [Int64] {
    rules.transitions.filter { $0 > -60_000_000_000 }.flatMap { [$0 - 1, $0, $0 + 1] }
      + (0..<1500).map { _ in Int64.random(in: -5_000_000_000...20_000_000_000, using: &numbers) }
  }

  /// The `date` of this machine reads the same files.
  @Test(arguments: names) func agreesWithTheSystem(name: String) throws {
    let rules = try Self.rules(name)
    var numbers = SeededNumbers(seed: 1)
    let instants = Self.instants(rules, &numbers)
    let lines = instants.map { "@\($0)" }.joined(separator: "\\n")
    let command = "printf '\(lines)\\n' | TZ=\(name) date -f - +%::z"
    let offsets = try Outcome("/bin/sh", arguments: ["-c", command]).output.split(separator: "\n")
    try #require(offsets.count == instants.count)
    for (instant, text) in zip(instants, offsets) {
      let parts = text.dropFirst().split(separator: ":").compactMap { Int32($0) }
      try #require(parts.count == 3)
      let offset = (parts[0] * 3600 + parts[1] * 60 + parts[2]) * (text.first == "-" ? -1 : 1)
      #expect(rules.offset(instant: instant) == offset, "\(name) \(instant)")
    }
  }

  /// What a wall time means is what turns back into it.
  @Test(arguments: names) func meaningsTurnBack(name: String) throws {
    let rules = try Self.rules(name)
    var numbers = SeededNumbers(seed: 2)
    for instant in Self.instants(rules, &numbers) {
      let offset = rules.offset(instant: instant)
      let wall = instant + Int64(offset)
      switch rules.meaning(wall: wall) {
      case .one(let found): #expect(found == offset, "\(name) \(instant)")
      case .two(let earlier, let later):
        #expect(earlier > later)
        #expect(offset == earlier || offset == later, "\(name) \(instant)")
        for found in [earlier, later] { #expect(rules.offset(instant: wall - Int64(found)) == found) }
      case .none: Issue.record("\(name) \(instant): the clock showed it")
      }
    }
  }

  @Test func changesOfTheClock() throws {
    let paris = try Self.rules("Europe/Paris")
    func wall(_ text: String) throws -> Int64 {
      guard case .wall(let time, _)? = TimeText.parse(text.utf8) else { throw QueryError("", at: 0..<0) }
      return time.seconds
    }
    #expect(paris.meaning(wall: try wall("2024-03-31T02:30:00")) == .none(before: 3600, after: 7200))
    #expect(paris.meaning(wall: try wall("2024-10-27T02:30:00")) == .two(earlier: 7200, later: 3600))
    #expect(paris.meaning(wall: try wall("2024-07-14T12:00:00")) == .one(offset: 7200))
    #expect(paris.meaning(wall: try wall("1826-06-01T12:00:00")) == .one(offset: 561))
    #expect(paris.meaning(wall: try wall("9998-07-14T12:00:00")) == .one(offset: 7200))
    // The first of two, and what was before a change for a time that never was.
    #expect(paris.offset(wall: try wall("2024-10-27T02:30:00")) == 7200)
    #expect(paris.offset(wall: try wall("2024-03-31T02:30:00")) == 3600)
    // A whole day was left out.
    let apia = try Self.rules("Pacific/Apia")
    #expect(apia.meaning(wall: try wall("2011-12-30T12:00:00")) == .none(before: -36_000, after: 50_400))
  }

  @Test func everyFileOfTheDatabaseIsRead() throws {
    var count = 0
    for line in String(decoding: try #require(hostFile("/usr/share/zoneinfo/tzdata.zi")), as: UTF8.self).split(
      separator: "\n")
    {
      let words = line.split(separator: " ")
      guard words.count >= 2, words[0] == "Z" || words[0] == "L" else { continue }
      let name = words[0] == "Z" ? String(words[1]) : String(words[2])
      guard let bytes = hostFile("/usr/share/zoneinfo/" + name) else { continue }
      count += 1
      #expect(ZoneName.isValid(name))
      #expect(ZoneRules(tzif: bytes) != nil, "\(name)")
    }
    #expect(count > 400)
  }

  @Test(arguments: TestLength.seedArguments(20)) func anyBytesAreAZoneOrNone(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    let files = try ["Europe/Paris", "Africa/Casablanca", "UTC"].map {
      try #require(hostFile("/usr/share/zoneinfo/" + $0))
    }
    for _ in 0..<150 {
      var bytes = try #require(files.randomElement(using: &numbers))
      if numbers.chance(1, of: 2) {
        // Into the counts of one of the headers.
        let start = [20, 24, 28, 32, 36, 40].randomElement(using: &numbers) ?? 20
        for place in start..<start + 4 where numbers.chance(1, of: 2) {
          bytes[place] = UInt8.random(in: 0...255, using: &numbers)
        }
      } else if numbers.chance(1, of: 2) {
        for _ in 0..<5 {
          let place = Int.random(in: 44..<bytes.count, using: &numbers)
          bytes[place] = UInt8.random(in: 0...255, using: &numbers)
        }
      } else {
        bytes = numbers.damaged(bytes)
      }
      guard let rules = ZoneRules(tzif: bytes) else { continue }
      for instant in [Int64.min, -1, 0, 4_000_000_000, 253_402_300_799, .max]
        + (rules.transitions.first.map { [$0] } ?? [])
      {
        #expect(abs(Int64(rules.offset(instant: instant))) < 26 * 3600)
        _ = rules.meaning(wall: instant)
      }
    }
    #expect(ZoneRules(tzif: []) == nil)
    #expect(ZoneRules(tzif: [UInt8](repeating: 0, count: 2 << 20)) == nil)
    let huge = [0x54, 0x5A, 0x69, 0x66, 0x32] + [UInt8](repeating: 0, count: 15) + [UInt8](repeating: 0xFF, count: 24)
    #expect(ZoneRules(tzif: huge) == nil)
  }

  /// Each number of a type is checked, and the order of the transitions.
  @Test func numbersOfTypesAreChecked() throws {
    func file(_ types: [UInt8], second: UInt8 = 2) -> [UInt8] {
      let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 4]
      return Array("TZif".utf8) + [UInt8](repeating: 0, count: 16) + counts + [0, 0, 0, 1, 0, 0, 0, second] + types
        + [0, 0, 0x0E, 0x10, 0, 0, 0, 0, 0x1C, 0x20, 1, 0] + Array("CET\u{0}".utf8)
    }
    let rules = try #require(ZoneRules(tzif: file([0, 1])))
    #expect([0, 1, 2].map { rules.offset(instant: $0) } == [3600, 3600, 7200])
    #expect(ZoneRules(tzif: file([0, 2])) == nil)
    #expect(ZoneRules(tzif: file([255, 1])) == nil)
    #expect(ZoneRules(tzif: file([0, 1], second: 1)) == nil)
    #expect(ZoneRules(tzif: Array(file([0, 1]).dropLast())) == nil)
  }

  /// "J60" is the first of March in every year, "59" the sixtieth day.
  @Test func daysOfTheYear() throws {
    let julian = try #require(ZoneFooter(Array("XXX0YYY,J60/0,J365/0".utf8)))
    let counted = try #require(ZoneFooter(Array("XXX0YYY,59/0,364/0".utf8)))
    for (year, isLeap) in [(2023, false), (2024, true)] {
      let march = try #require(CivilDate(year: year, month: 3, day: 1)).daysSince1970 * 86_400
      #expect(julian.offset(instant: march - 1) == 0)
      #expect(julian.offset(instant: march) == 3600)
      let sixtieth = isLeap ? march - 86_400 : march
      #expect(counted.offset(instant: sixtieth - 1) == 0)
      #expect(counted.offset(instant: sixtieth) == 3600)
    }
    let early = try #require(ZoneFooter(Array("XXX0YYY,J59/0,J365/0".utf8)))
    let last = try #require(CivilDate(year: 2024, month: 2, day: 28)).daysSince1970 * 86_400
    #expect(early.offset(instant: last - 1) == 0)
    #expect(early.offset(instant: last) == 3600)
  }

  @Test(arguments: [
    "", "X", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
    "CET-1CEST,M3.5.7,M10.5.0",
    "CET-25", "<+0-1", "CET-1CEST,J0,J365", "CET-1CEST,J1,J366", "CET-1CEST,M3.5.0,M10.5.0/168",
    "CET-1CEST,M3.5.0,M10.5.0 ", "CET-99999999999",
  ])
  func isNoRule(text: String) { #expect(ZoneFooter(Array(text.utf8)) == nil) }

  @Test(arguments: TestLength.seedArguments(20)) func anyRuleIsHarmless(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let rules = [
      "CET-1CEST,M3.5.0,M10.5.0/3", "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "EST5EDT,J60,300/167", "XXX3EDT4,0/0,J365/23",
    ]
    for _ in 0..<500 {
      let text = numbers.damaged(Array((rules.randomElement(using: &numbers) ?? "").utf8))
      guard let footer = ZoneFooter(text) else { continue }
      for instant in [Int64.min, -62_135_596_800, -1, 1_700_000_000, 253_402_300_799, .max] {
        #expect(abs(Int64(footer.offset(instant: instant))) < 26 * 3600)
        if let next = footer.nextChange(after: instant) { #expect(next > instant) }
      }
    }
  }

  @Test(arguments: [
    "", "/etc/passwd", "../../etc/passwd", "Europe/../x", "Europe//Paris", "Europe/", "a\u{0}b", "-x", "é", "a b",
    String(repeating: "a", count: 65),
  ])
  func isNoName(name: String) { #expect(!ZoneName.isValid(name)) }
}

@Suite struct CapturedTimeTests {
  private static func wall(_ text: String, offset: Int32? = nil, _ source: FactSource) throws -> TimeCandidate {
    guard case .wall(let time, _)? = TimeText.parse(text.utf8) else { throw QueryError("", at: 0..<0) }
    return TimeCandidate(.wall(time, offset: offset), from: source)
  }

  private static func universal(_ text: String, _ source: FactSource) throws -> TimeCandidate {
    guard case .wall(let time, _)? = TimeText.parse(text.utf8) else { throw QueryError("", at: 0..<0) }
    return TimeCandidate(.universal(time), from: source)
  }

  private static func shown(_ time: CapturedTime?) -> String {
    guard let time else { return "none" }
    return
      "\(time.wall) \(time.source) \(time.offset.map(String.init) ?? "-") \(time.zoneSource.map { "\($0)" } ?? "-")"
  }

  @Test func theFirstSourceWinsWhateverTheOrder() throws {
    let candidates = [
      try Self.wall("2020-01-01T10:00:00", .override), try Self.wall("2020-01-02T10:00:00", .sidecar),
      try Self.wall("2020-01-03T10:00:00", .exif), try Self.wall("2020-01-04T10:00:00", .xmp),
      try Self.wall("2020-01-05T10:00:00", .quickTime), try Self.universal("2020-01-06T10:00:00", .takeout),
      try Self.wall("2020-01-07T10:00:00", .fileName), try Self.universal("2020-01-08T10:00:00", .satellite),
      try Self.universal("2020-01-09T10:00:00", .header), try Self.universal("2020-01-10T10:00:00", .fileTime),
    ]
    var numbers = SeededNumbers(seed: 1)
    for start in candidates.indices {
      let rest = Array(candidates[start...])
      for _ in 0..<5 {
        #expect(CapturedTime.resolve(rest.shuffled(using: &numbers))?.source == rest[0].source)
      }
    }
    #expect(CapturedTime.resolve([]) == nil)
    // A source that knows nothing of times.
    #expect(CapturedTime.resolve([try Self.wall("2020-01-01T10:00:00", .pixels)]) == nil)
  }

  /// A sidecar that repeats the file's time to the second takes no zone and no order within a second away.
  @Test func whatSaysTheSameSecondMoreExactlyCounts() throws {
    let sidecar = try Self.wall("2024-08-15T10:30:05", .sidecar)
    let exif = try Self.wall("2024-08-15T10:30:05.250", offset: 7200, .exif)
    let found = try #require(CapturedTime.resolve([exif, sidecar]))
    #expect(found.source == .sidecar && found.wall.nanoseconds == 250_000_000)
    #expect(found.offset == 7200 && found.zoneSource == .exif)
    // Its own offset counts first, and another second is another time.
    let other = try Self.wall("2024-08-15T10:30:05", offset: 3600, .sidecar)
    #expect(Self.shown(CapturedTime.resolve([exif, other])).hasSuffix(" sidecar 3600 sidecar"))
    let later = try Self.wall("2024-08-15T10:30:06", .sidecar)
    #expect(CapturedTime.resolve([exif, later])?.offset == nil)
  }

  @Test func aTimeWithoutAZoneIsNeverShifted() throws {
    let exif = try Self.wall("2024-08-15T10:30:05", .exif)
    let paris = try ZoneTests.rules("Europe/Paris")
    #expect(Self.shown(CapturedTime.resolve([exif])) == "2024-08-15T10:30:05 exif - -")
    #expect(Self.shown(CapturedTime.resolve([exif], zone: paris)) == "2024-08-15T10:30:05 exif 7200 gazetteer")
    #expect(
      Self.shown(CapturedTime.resolve([exif, try Self.universal("2024-08-15T08:30:05", .satellite)]))
        == "2024-08-15T10:30:05 exif - -")
  }

  @Test func itsOwnOffsetWinsOverThePlace() throws {
    let paris = try ZoneTests.rules("Europe/Paris")
    let exif = try Self.wall("2024-08-15T10:30:05", offset: -18_000, .exif)
    #expect(Self.shown(CapturedTime.resolve([exif], zone: paris)) == "2024-08-15T10:30:05 exif -18000 exif")
    // An offset that cannot be says nothing.
    let wrong = try Self.wall("2024-08-15T10:30:05", offset: .min, .exif)
    #expect(Self.shown(CapturedTime.resolve([wrong], zone: paris)) == "2024-08-15T10:30:05 exif 7200 gazetteer")
    #expect(Self.shown(CapturedTime.resolve([wrong])) == "2024-08-15T10:30:05 exif - -")
  }

  @Test func aTimeInUTCGetsTheClockOfThePlace() throws {
    let takeout = try Self.universal("2024-08-15T22:30:05", .takeout)
    #expect(
      Self.shown(CapturedTime.resolve([takeout], zone: try ZoneTests.rules("Asia/Tokyo")))
        == "2024-08-16T07:30:05 takeout 32400 gazetteer")
    #expect(Self.shown(CapturedTime.resolve([takeout])) == "2024-08-15T22:30:05 takeout 0 universal")
  }

  @Test func aWallTimeTellsTheZoneOfATimeInUTC() throws {
    let takeout = try Self.universal("2024-08-15T22:30:05", .takeout)
    func resolve(_ text: String) throws -> String {
      Self.shown(CapturedTime.resolve([takeout, try Self.wall(text, .fileName)]))
    }
    #expect(try resolve("2024-08-16T04:00:06") == "2024-08-16T04:00:05 takeout 19800 difference")
    // An hour that no zone has, and a day that was only the day of sending.
    #expect(try resolve("2024-08-16T04:07:00") == "2024-08-15T22:30:05 takeout 0 universal")
    #expect(try resolve("2024-09-16T04:00:05") == "2024-08-15T22:30:05 takeout 0 universal")
    #expect(try resolve("2024-08-16") == "2024-08-15T22:30:05 takeout 0 universal")
  }

  /// The evening of 31 December in New York is no day of the next year.
  @Test func aTimeInUTCGetsTheClockAtHome() throws {
    let (home, tokyo) = (try ZoneTests.rules("America/New_York"), try ZoneTests.rules("Asia/Tokyo"))
    let header = try Self.universal("2025-01-01T02:00:05", .header)
    #expect(Self.shown(CapturedTime.resolve([header], home: home)) == "2024-12-31T21:00:05 header -18000 home")
    let file = try Self.universal("2025-07-05T02:00:05", .fileTime)
    #expect(Self.shown(CapturedTime.resolve([file], home: home)) == "2025-07-04T22:00:05 fileTime -14400 home")
    // What knows more about where it was taken comes first.
    #expect(
      Self.shown(CapturedTime.resolve([header], zone: tokyo, home: home))
        == "2025-01-01T11:00:05 header 32400 gazetteer")
    let takeout = try Self.universal("2025-01-01T02:00:05", .takeout)
    let name = try Self.wall("2025-01-01T03:00:05", .fileName)
    #expect(
      Self.shown(CapturedTime.resolve([takeout, name], home: home)) == "2025-01-01T03:00:05 takeout 3600 difference")
    // A clock on the wall is believed, wherever it was.
    let exif = try Self.wall("2025-01-01T02:00:05", .exif)
    #expect(Self.shown(CapturedTime.resolve([exif, file], home: home)) == "2025-01-01T02:00:05 exif - -")
    let day = try Self.universal("2025-01-01", .takeout)
    #expect(Self.shown(CapturedTime.resolve([day], home: home)) == "2025-01-01 takeout - -")
  }

  @Test func aDayInUTCStaysADay() throws {
    let day = try Self.universal("2024-08-15", .takeout)
    #expect(
      Self.shown(CapturedTime.resolve([day], zone: try ZoneTests.rules("America/New_York"))) == "2024-08-15 takeout - -"
    )
  }

  /// The place gives the zone, and both know where they come from.
  @Test func aRecordIsSettled() throws {
    let gazetteer = try GazetteerTests.gazetteer(GazetteerTests.line("1", "Paris", "48.85", "2.35"))
    var asked: [String] = []
    var zones = ZoneLibrary { name in
      asked.append(name)
      return hostFile("/usr/share/zoneinfo/" + name)
    }
    var item = MediaItem(inode: 1, kind: .jpeg)
    let times = [
      try Self.universal("2024-08-15T22:30:05", .takeout), try Self.universal("2024-08-01T00:00:00", .fileTime),
    ]
    item.settle(times: times, gazetteer: gazetteer) { zones.rules(named: $0) }
    #expect(Self.shown(item.taken) == "2024-08-15T22:30:05 takeout 0 universal")
    #expect(item.place == nil && item.sources[.place].isEmpty)
    for _ in 0..<2 {
      item.offer(Position(latitude: 48.9, longitude: 2.3), for: .position, at: \.position, from: .exif)
      item.settle(times: times, gazetteer: gazetteer) { zones.rules(named: $0) }
      #expect(Self.shown(item.taken) == "2024-08-16T00:30:05 takeout 7200 gazetteer")
      #expect(item.place?.town == "Paris")
      #expect(item.sources.first(.time) == .takeout)
      #expect(item.sources.first(.zone) == .gazetteer)
      #expect(item.sources.first(.place) == .gazetteer)
    }
    #expect(asked == ["Europe/Paris"])
    item.position = nil
    let home = try ZoneTests.rules("America/New_York")
    item.settle(times: times, gazetteer: gazetteer, home: home) { zones.rules(named: $0) }
    #expect(Self.shown(item.taken) == "2024-08-15T18:30:05 takeout -14400 home")
    #expect(item.sources.first(.zone) == .home)
    item.settle(times: [], gazetteer: nil) { zones.rules(named: $0) }
    #expect(item.taken == nil && item.sources[.time].isEmpty && item.sources[.zone].isEmpty)
  }

  @Test func theLibraryAsksOnlyForNames() {
    var asked: [String] = []
    var zones = ZoneLibrary { name in
      asked.append(name)
      return [1, 2, 3]
    }
    for name in ["../../etc/passwd", "", "X/Y", "X/Y"] { #expect(zones.rules(named: name) == nil) }
    #expect(asked == ["X/Y"])
  }

  @Test func theEndsOfTimeAreNotLeft() throws {
    let last = try Self.universal("9999-12-31T23:59:59", .takeout)
    #expect(
      CapturedTime.resolve([last], zone: try ZoneTests.rules("Asia/Tokyo"))?.wall.description == "9999-12-31T23:59:59")
    let first = try Self.wall("0001-01-01T00:00:00", .exif)
    #expect(
      CapturedTime.resolve([first], zone: try ZoneTests.rules("Asia/Tokyo"))?.wall.description == "0001-01-01T00:00:00")
  }
}
