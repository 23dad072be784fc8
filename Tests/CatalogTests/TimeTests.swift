import TestSupport
import Testing

@testable import Catalog

@Suite struct CivilDateTests {
  @Test func everyDayIsTheOneAfterTheDayBefore() throws {
    var date = try #require(CivilDate(year: 1, month: 1, day: 1))
    #expect(date.daysSince1970 == CivilDate.firstDay)
    #expect(date.weekday == 1)
    var weekday = date.weekday
    for number in (CivilDate.firstDay + 1)...(CivilDate.firstDay + 800_000) {
      let next = try #require(CivilDate(daysSince1970: number))
      weekday = (weekday + 1) % 7
      if next.daysSince1970 != number || next <= date || next.weekday != weekday {
        Issue.record("\(next)")
        return
      }
      let isNextDay = next.day == date.day + 1 && next.month == date.month
      let isNextMonth = next.day == 1 && date.day == CivilDate.days(inMonth: date.month, of: date.year)
      if !isNextDay && !isNextMonth { Issue.record("\(date) \(next)") }
      date = next
    }
    #expect(try #require(CivilDate(year: 1970, month: 1, day: 1)).daysSince1970 == 0)
    #expect(try #require(CivilDate(year: 9999, month: 12, day: 31)).daysSince1970 == CivilDate.lastDay)
    #expect(CivilDate(daysSince1970: CivilDate.lastDay + 1) == nil)
    #expect(CivilDate(daysSince1970: .min) == nil)
    #expect(CivilDate(daysSince1970: .max) == nil)
  }

  @Test(arguments: [
    (0, 1, 1), (10_000, 1, 1), (2023, 2, 29), (1900, 2, 29), (2024, 13, 1), (2024, 0, 1), (2024, 4, 31), (2024, 1, 0),
    (2024, 1, -1),
  ])
  func thereIsNoSuchDay(year: Int, month: Int, day: Int) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }
}

@Suite struct WallTimeTests {
  @Test func whatIsFinerThanThePrecisionIsCutOff() throws {
    for (seconds, minute, day) in [(90_061, 90_060, 86_400), (-1, -60, -86_400), (-86_400, -86_400, -86_400)]
      as [(Int64, Int64, Int64)]
    {
      #expect(try #require(WallTime(seconds: seconds, nanoseconds: 5, precision: .minute)).seconds == minute)
      let found = try #require(WallTime(seconds: seconds, nanoseconds: 5, precision: .day))
      #expect(found.seconds == day && found.nanoseconds == 0)
      #expect(found == WallTime(date: found.date))
    }
    #expect(WallTime(seconds: WallTime.range.upperBound + 1) == nil)
    #expect(WallTime(seconds: WallTime.range.lowerBound - 1) == nil)
    #expect(WallTime(seconds: 0, nanoseconds: 1_000_000_000) == nil)
    #expect(WallTime(seconds: WallTime.range.lowerBound, precision: .day)?.description == "0001-01-01")
  }
}

@Suite struct TimeTextTests {
  @Test(
    arguments: [
      ("2024:08:15 10:30:05", "2024-08-15T10:30:05", nil), ("2024-08-15T10:30:05Z", "2024-08-15T10:30:05", 0),
      ("2024-08-15T10:30:05.250+02:00", "2024-08-15T10:30:05.25", 7200),
      ("2024-08-15T10:30-0330", "2024-08-15T10:30", -12_600),
      ("2024-08-15", "2024-08-15", nil), ("1826:01:01 00:00:00\u{0}", "1826-01-01T00:00:00", nil),
      ("9999:12:31 23:59:60", "9999-12-31T23:59:59", nil),
      ("2024-08-15 10:30:05.123456789123+14", "2024-08-15T10:30:05.123456789", 50_400),
      ("  2024:08:15  10:30:05  ", "2024-08-15T10:30:05", nil),
      ("2006/11/09 10:54:01", "2006-11-09T10:54:01", nil), ("2006:11:09 10:54: 1\u{0}", "2006-11-09T10:54:01", nil),
      ("2009:1:2 3:04:05", "2009-01-02T03:04:05", nil), ("2009: 1: 2  3: 4: 5", "2009-01-02T03:04:05", nil),
      ("2006.11.09 10:54", "2006-11-09T10:54", nil), ("2024:08:15   :  :  ", "2024-08-15", nil),
      ("2024-08-15 10:30:05 +0200", "2024-08-15T10:30:05", 7200),
      ("1890-01-01T10:00:00+00:09:21", "1890-01-01T10:00:00", 561),
      ("Thu, 09 Nov 2006 10:54:01 -0130", "2006-11-09T10:54:01", -5400),
      ("9 November 2006 10:54 GMT", "2006-11-09T10:54", 0), ("Thu Nov  9 10:54:01 2006\n", "2006-11-09T10:54:01", nil),
    ] as [(String, String, Int32?)])
  func reads(text: String, wall: String, offset: Int32?) throws {
    guard case .wall(let found, let zone) = try #require(TimeText.parse(text.utf8)) else { return }
    #expect(found.description == wall)
    #expect(zone == offset)
  }

  @Test(arguments: [
    "0000:00:00 00:00:00", "    :  :     :  :  ", "2024:02:30 10:00:00", "2024:13:01 10:00:00", "2024:08:15 24:00:00",
    "2024:08-15 10:00:00", "2024:08:15 10:60:00", "2024:08:15 10:00:61", "2024:08:15 10:00:00+99:00",
    "2024:08:15 10:00:00+02:60", "",
    "1993:08:   10:00:00", "1993:08: 12:00:00", "2009:01:02 10:54:1", "2009:01:0", "11/09/2006 10:00:00",
    "2006/11-09", "Thu, 31 Feb 2006 10:54:01 GMT", "May 2006", "Thu, 09 Nov 2006 10:54:01 CET", "2024:08:155",
    "2024:08:15 10:00:00 CET", "2024:08:15T", "2024:08:15 10", "24:08:15 10:00:00", "2024:08:15 10:00:00.",
    "+2024:08:15",
  ])
  func isNoTime(text: String) { #expect(TimeText.parse(text.utf8) == nil) }

  @Test func writingAndReadingAgree() throws {
    var numbers = SeededNumbers(seed: 3)
    for _ in 0..<2000 {
      let seconds = Int64.random(in: WallTime.range, using: &numbers)
      let nanoseconds = [0, 1, 250_000_000, 999_999_999].randomElement(using: &numbers) ?? 0
      let wall = try #require(WallTime(seconds: seconds, nanoseconds: UInt32(nanoseconds)))
      #expect(TimeText.parse(wall.description.utf8) == .wall(wall, offset: nil))
      #expect(TimeText.parse((wall.description + "-09:30").utf8) == .wall(wall, offset: -34_200))
    }
  }

  @Test(arguments: TestLength.seedArguments(20)) func anyBytesAreATimeOrNone(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    for _ in 0..<1000 {
      let bytes = numbers.damaged(Array("2024-08-15T10:30:05.25+02:00".utf8))
      if case .wall(let wall, let offset) = TimeText.parse(bytes) {
        #expect(WallTime.range.contains(wall.seconds))
        #expect(abs(offset ?? 0) <= CapturedTime.mostOffset)
      }
      _ = TimeText.offset(bytes)
      _ = TimeText.fraction(bytes)
    }
  }

  @Test func partsOfExif() {
    #expect(TimeText.offset("+02:00".utf8) == 7200)
    #expect(TimeText.offset("-03:30\u{0}".utf8) == -12_600)
    #expect(TimeText.offset("Z".utf8) == 0)
    #expect(TimeText.offset("  :  ".utf8) == nil)
    #expect(TimeText.fraction("5".utf8) == 500_000_000)
    #expect(TimeText.fraction("042\u{0}".utf8) == 42_000_000)
    #expect(TimeText.fraction("".utf8) == nil)
  }
}

@Suite struct TimeShiftTests {
  @Test(
    arguments: [
      ("+1h", 3600), ("-30m", -1800), ("+1d", 86_400), ("+1h30m", 5400), ("-2d3h4m5s", -183_845), ("1h", nil),
      ("+", nil), ("+1", nil), ("+h", nil), ("+0h", nil), ("+1h1h", nil), ("+1m1h", nil), ("+1.5h", nil), ("", nil),
      ("+1h ", nil), ("+99999999d", nil), ("--1h", nil),
    ] as [(String, Int64?)])
  func reads(text: String, seconds: Int64?) { #expect(TimeShift(text)?.seconds == seconds) }
}

@Suite struct NameTimeTests {
  @Test(arguments: [
    ("IMG_20230101_123456.jpg", "2023-01-01T12:34:56"), ("VID_20230101_123456.mp4", "2023-01-01T12:34:56"),
    ("20230101_123456.jpg", "2023-01-01T12:34:56"), ("20230101-123456.mp4", "2023-01-01T12:34:56"),
    ("IMG_20230101_123456789.jpg", "2023-01-01T12:34:56.789"),
    ("MVIMG_20230101_123456_789.jpg", "2023-01-01T12:34:56.789"),
    ("IMG_20230101_123456_1.jpg", "2023-01-01T12:34:56"), ("IMG_20230101_123456(1).jpg", "2023-01-01T12:34:56"),
    ("IMG20230101123456.jpg", "2023-01-01T12:34:56"),
    ("00001IMG_00001_BURST20230101123456789_COVER.jpg", "2023-01-01T12:34:56.789"),
    ("DJI_20230101123456_0001_D.JPG", "2023-01-01T12:34:56"), ("Screenshot_20230101-123456.png", "2023-01-01T12:34:56"),
    ("Screenshot_2023-01-01-12-34-56-789_com.app.jpg", "2023-01-01T12:34:56.789"),
    ("Screenshot 2023-01-01 at 12.34.56.png", "2023-01-01T12:34:56"),
    ("Screenshot from 2023-01-01 12-34-56.png", "2023-01-01T12:34:56"),
    ("WhatsApp Image 2023-01-01 at 12.34.56.jpeg", "2023-01-01T12:34:56"),
    ("WhatsApp Image 2023-01-01 at 12.34.56 (2).jpeg", "2023-01-01T12:34:56"),
    ("2023-01-01 12.34.56-1.jpg", "2023-01-01T12:34:56"), ("photo_2023-01-01_12-34-56.jpg", "2023-01-01T12:34:56"),
    ("signal-2023-01-01-123456.jpg", "2023-01-01T12:34:56"), ("WIN_20230101_12_34_56_Pro.jpg", "2023-01-01T12:34:56"),
    ("2023-01-01T12:34:56.jpg", "2023-01-01T12:34:56"), ("2023.01.01_12.34.jpg", "2023-01-01T12:34"),
    ("Scan 2023-01-01 12h34.pdf", "2023-01-01T12:34"),
    ("IMG-20230101-WA0001.jpg", "2023-01-01"), ("VID-20230101-WA0012.mp4", "2023-01-01"),
    ("2023-01-01.jpg", "2023-01-01"),
    ("20230101.jpg", "2023-01-01"), ("2023_01_01 party.jpg", "2023-01-01"), ("20230101_party.jpg", "2023-01-01"),
    ("20240229_120000.jpg", "2024-02-29T12:00:00"),
    ("Screenshot 2023-01-01 at 10.05.39 PM.png", "2023-01-01T22:05:39"),
    ("Screenshot 2023-01-01 at 12.00.01 AM.png", "2023-01-01T00:00:01"),
    ("Screenshot 2023-01-01 at 12.00.01 PM (2).png", "2023-01-01T12:00:01"),
    ("Screenshot 2023-01-01 at 9.05.39\u{202F}PM copy.png", "2023-01-01T21:05:39"),
    ("WhatsApp Image 2023-01-01 at 5.15 PM.jpeg", "2023-01-01T17:15"),
    ("2023-01-01 1.02.03pm.jpg", "2023-01-01T13:02:03"),
    ("Captura 2023-01-01 a la(s) 10.05.39 p.\u{A0}m..png", "2023-01-01T22:05:39"),
    ("2018-03-04 17 15 33.jpg", "2018-03-04T17:15:33"), ("Photo 2018-03-04 5 15 33 PM.jpg", "2018-03-04T17:15:33"),
    ("Capture d’écran 2018-03-04 à 17.15.33.png", "2018-03-04T17:15:33"),
    ("Capture d’écran 2018-03-04 a\u{300} 17.15.33.png", "2018-03-04T17:15:33"),
    ("WhatsApp Bild 2018-03-04 um 17.15.33.jpeg", "2018-03-04T17:15:33"),
    ("2018-03-04 9.05.39.jpg", "2018-03-04T09:05:39"),
    // What may be another time, or none, is left out.
    ("2018-03-04 12.15.33 am Strand.jpg", "2018-03-04"), ("2018-03-04 11.15.33 am Strand.jpg", "2018-03-04T11:15:33"),
    ("2018-03-04 0.05.39 PM.jpg", "2018-03-04"), ("2018-03-04 12 34.jpg", "2018-03-04"),
    ("2018-03-04 9.05.jpg", "2018-03-04"), ("2018-03-04-1-12-34.jpg", "2018-03-04"),
    ("2018-03-04 10.05.39 p.mp4", "2018-03-04T10:05:39"),
    ("PANO_20230101_123456.jpg", "2023-01-01T12:34:56"), ("20230101_991234.jpg", "2023-01-01"),
  ])
  func reads(name: String, wall: String) throws {
    let candidate = try #require(NameTime.candidate(name: name.utf8))
    #expect(candidate.source == .fileName)
    guard case .wall(let found, nil) = candidate.value else {
      Issue.record("\(candidate)")
      return
    }
    #expect(found.description == wall)
  }

  @Test(arguments: [
    ("PXL_20230101_123456789.jpg", "2023-01-01T12:34:56.789"),
    ("PXL_20230101_123456789.MP.jpg", "2023-01-01T12:34:56.789"),
    ("FB_IMG_1672531200000.jpg", "2023-01-01T00:00:00"), ("mmexport1672531200123.jpg", "2023-01-01T00:00:00.123"),
  ])
  func isUniversal(name: String, wall: String) throws {
    guard case .universal(let found)? = NameTime.candidate(name: name.utf8)?.value else {
      Issue.record("\(name)")
      return
    }
    #expect(found.description == wall)
  }

  @Test(arguments: [
    "3IMG20230101123456.jpg", "IMG_1234.jpg", "DSC00001.ARW", "P1000123.RW2", "20231301_120000.jpg", "20230230.jpg",
    "19000101_120000.jpg",
    "21000101_120000.jpg",
    "120230101_120000.jpg", "a820230101b.jpg", "f20230101.jpg", "20230101f.jpg", "", "12345678901234567890.jpg",
    "0000-00-00.jpg", "2023-1-1.jpg",
    "2023-01_01.jpg", "2023-01-011.jpg", "received_1234567890123456.jpeg", "FB_IMG_16725312.jpg",
    "IMG_99999999_999999.jpg", "DSC20230101é.jpg",
  ])
  func saysNothing(name: String) { #expect(NameTime.candidate(name: name.utf8) == nil) }

  @Test(arguments: TestLength.seedArguments(30)) func anyBytesAreATimeOrNone(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let seeds = [
      "IMG_20230101_123456_789.jpg", "Screenshot 2023-01-01 at 12.34.56.png", "FB_IMG_1672531200000.jpg",
      "WIN_20230101_12_34_56_Pro",
    ]
    for _ in 0..<1000 {
      let bytes = numbers.damaged(Array((seeds.randomElement(using: &numbers) ?? "").utf8))
      guard let candidate = NameTime.candidate(name: bytes) else { continue }
      switch candidate.value {
      case .wall(let time, _), .universal(let time): #expect((1970...2099).contains(time.date.year))
      }
    }
    #expect(NameTime.candidate(name: [UInt8](repeating: 0x32, count: 1 << 20)) == nil)
  }
}
