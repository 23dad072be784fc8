/// Times in names of files, as cameras, phones and programs write them.
///
/// | form | example |
/// |---|---|
/// | day and time together | `IMG_20230101_123456.jpg`, `20230101-123456.mp4`, `IMG20230101123456.jpg` |
/// | with parts of a second | `IMG_20230101_123456789.jpg`, `MVIMG_20230101_123456_789.jpg` |
/// | separated | `2023-01-01 12.34.56.jpg`, `photo_2023-01-01_12-34-56.jpg`, `WIN_20230101_12_34_56_Pro.jpg` |
/// | by spaces | `2023-01-01 12 34 56.jpg` |
/// | with a word between | `Screenshot 2023-01-01 at 12.34.56.png`, `WhatsApp Bild 2023-01-01 um 12.34.56.jpeg` |
/// | of twelve hours | `Screenshot 2023-01-01 at 9.34.56 PM.png` |
/// | a day alone | `IMG-20230101-WA0001.jpg`, `2023-01-01.jpg` |
/// | UTC | `PXL_20230101_123456789.jpg` |
/// | milliseconds since 1970, UTC | `FB_IMG_1672531200000.jpg`, `mmexport1672531200000.jpg` |
///
/// Only years from 1970 to 2099 count, and only numbers that are not part of a longer number or of a word, because
/// other names contain digits too.
package enum NameTime {
  /// The longest name that is read, in bytes.
  static let mostBytes = 1024

  /// The time in the name of a file; nil if there is none.
  package static func candidate(name: some Sequence<UInt8>) -> TimeCandidate? {
    let bytes = [UInt8](name.prefix(mostBytes + 1))
    guard bytes.count <= mostBytes else { return nil }
    let value = value(withPlainSpaces(bytes))
    return value.map { TimeCandidate($0, from: .fileName) }
  }

  /// Non-breaking spaces, which macOS writes before "PM", become plain spaces.
  private static func withPlainSpaces(_ bytes: [UInt8]) -> [UInt8] {
    var plain: [UInt8] = []
    var rest = bytes[...]
    while let first = rest.first {
      let mark = ["\u{202F}", "\u{A0}"].first { rest.starts(with: $0.utf8) }
      plain.append(mark == nil ? first : 0x20)
      rest = rest.dropFirst(mark?.utf8.count ?? 1)
    }
    return plain
  }

  private static func value(_ bytes: [UInt8]) -> TimeCandidate.Value? {
    for prefix in ["fb_img_", "mmexport", "microsoftteams-image-"] {
      guard startsWith(prefix, bytes) else { continue }
      let digits = bytes.dropFirst(prefix.utf8.count).prefix { Digits.isDigit($0) }
      if digits.count == 13, let value = Digits.value(digits), (0..<4_102_444_800_000).contains(value),
        let time = WallTime(seconds: Int64(value / 1000), nanoseconds: UInt32(value % 1000) * 1_000_000)
      {
        return .universal(time)
      }
    }
    let isUniversal = startsWith("pxl_", bytes)
    var day: WallTime?
    var start = 0
    while let run = nextRun(bytes, from: start) {
      start = run.upperBound
      guard beginsProperly(bytes, run) else { continue }
      if let found = dayAndTime(bytes, run) {
        if found.precision != .day { return isUniversal ? .universal(found) : .wall(found, offset: nil) }
        if day == nil { day = found }
      }
    }
    return day.map { .wall($0, offset: nil) }
  }

  private static func startsWith(_ prefix: String, _ bytes: [UInt8]) -> Bool {
    NameParts.lowered(bytes.prefix(prefix.utf8.count)).elementsEqual(prefix.utf8)
  }

  private static func nextRun(_ bytes: [UInt8], from start: Int) -> Range<Int>? {
    guard let first = bytes[start...].firstIndex(where: Digits.isDigit) else { return nil }
    return first..<(bytes[first...].firstIndex { !Digits.isDigit($0) } ?? bytes.count)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }

  /// Letters before the digits are a word that cameras write, not the end of some identifier.
  private static func beginsProperly(_ bytes: [UInt8], _ run: Range<Int>) -> Bool {
    let letters = bytes[..<run.lowerBound].reversed().prefix { isLetter($0) || $0 >= 0x80 }.count
    if letters == 0 { return true }
    let word = bytes[(run.lowerBound - letters)..<run.lowerBound].map { $0 & 0xDF }
    let isWhole = run.lowerBound == letters || !Digits.isDigit(bytes[run.lowerBound - letters - 1])
    let known = ["IMG", "VID", "MOV", "PANO", "BURST", "DSC", "DJI", "PXL", "MVIMG", "WIN", "CAP", "SCREENSHOT", "REC"]
    return isWhole && known.contains { $0.utf8.elementsEqual(word) }
  }

  private static func dayAndTime(_ bytes: [UInt8], _ run: Range<Int>) -> WallTime? {
    switch run.count {
    case 14, 17:
      // A day, a time, and perhaps milliseconds.
      guard let date = date(bytes[run.lowerBound..<run.lowerBound + 8]), endsProperly(bytes, run.upperBound) else {
        return nil
      }
      return time(date, bytes[(run.lowerBound + 8)..<run.upperBound])
    case 8:
      guard let date = date(bytes[run]) else { return nil }
      return timed(date, bytes, after: run.upperBound)
    case 4:
      // YYYY-MM-DD with one of "-_.:" twice.
      let end = run.lowerBound + 10
      guard bytes.count >= end, let year = Digits.value(bytes[run]), (1970...2099).contains(year),
        let month = Digits.value(bytes[(end - 5)..<(end - 3)]), let day = Digits.value(bytes[(end - 2)..<end]),
        "-_.:".utf8.contains(bytes[end - 6]), bytes[end - 3] == bytes[end - 6],
        end == bytes.count || !Digits.isDigit(bytes[end]),
        let date = CivilDate(year: year, month: month, day: day)
      else { return nil }
      return timed(date, bytes, after: end)
    default:
      return nil
    }
  }

  private static func date(_ digits: ArraySlice<UInt8>) -> CivilDate? {
    guard let value = Digits.value(digits), (1970...2099).contains(value / 10_000) else { return nil }
    return CivilDate(year: value / 10_000, month: value / 100 % 100, day: value % 100)
  }

  /// hhmmss and up to nine digits of a fraction.
  private static func time(_ date: CivilDate, _ digits: ArraySlice<UInt8>, fraction: ArraySlice<UInt8> = [])
    -> WallTime?
  {
    guard digits.count >= 6, let value = Digits.value(digits.prefix(6)), value % 100 < 60 else { return nil }
    let rest = digits.dropFirst(6) + fraction
    let nanoseconds = rest.isEmpty ? 0 : TimeText.fraction(rest.prefix(9)) ?? 0
    return WallTime(
      date: date, hour: value / 10_000, minute: value / 100 % 100, second: value % 100, nanoseconds: nanoseconds)
  }

  /// What stands between a day and a time: a mark, or what systems and programs say for "at" in their languages, the
  /// French one also with its accent apart.
  private static let marks: [[UInt8]] = {
    let words = [
      "at", "um", "à", "a\u{300}", "às", "a\u{300}s", "a las", "a la(s)", "alle", "alle ore", "om", "kl", "kl.", "klo",
      "o", "в",
    ]
    let between = words.flatMap { word in [" ", "_", "-"].map { $0 + word + $0 } }
    return (["_", "-", " ", "T", ".", ", ", " - "] + between).map { Array($0.utf8) }
  }()

  /// The day with the time that follows it, or the day alone.
  private static func timed(_ date: CivilDate, _ bytes: [UInt8], after end: Int) -> WallTime? {
    let day = endsProperly(bytes, end) ? WallTime(date: date) : nil
    for mark in marks {
      let start = end + mark.count
      guard start <= bytes.count, bytes[end..<start].elementsEqual(mark), let run = nextRun(bytes, from: start),
        run.lowerBound == start
      else { continue }
      if (6...15).contains(run.count), endsProperly(bytes, run.upperBound) {
        let rest = run.count == 6 ? millisecondsAfter(bytes, run.upperBound) : []
        return time(date, bytes[run], fraction: rest) ?? day
      }
      if run.count <= 2 { return clock(date, bytes, run) ?? day }
    }
    return day
  }

  /// Reads hh.mm.ss or hh.mm, optionally followed by "AM" or "PM". A single digit is an hour only if the rest is
  /// certainly a time.
  private static func clock(_ date: CivilDate, _ bytes: [UInt8], _ run: Range<Int>) -> WallTime? {
    guard var hour = Digits.value(bytes[run]), let minute = part(bytes, after: run.upperBound) else { return nil }
    let mark = bytes[run.upperBound]
    var end = run.upperBound + 3
    var second: Int?
    // Spaces separate all parts or none.
    if let found = part(bytes, after: end), (mark == 0x20) == (bytes[end] == 0x20) {
      (second, end) = (found, end + 3)
    }
    let rest = second == nil ? [] : millisecondsAfter(bytes, end)
    end += rest.isEmpty ? 0 : 4
    let half = half(bytes, after: end)
    if let half {
      guard let whole = half.hour(hour) else { return nil }
      hour = whole
    } else {
      let isWhole = second != nil && (run.count == 2 || ".:".utf8.contains(mark))
      guard isWhole || run.count == 2 && mark != 0x20, endsProperly(bytes, end) else { return nil }
    }
    if let second, second >= 60 { return nil }
    guard let second else {
      return WallTime(date: date, hour: hour, minute: minute)
        .flatMap { WallTime(seconds: $0.seconds, precision: .minute) }
    }
    let nanoseconds = rest.isEmpty ? 0 : TimeText.fraction(rest) ?? 0
    return WallTime(date: date, hour: hour, minute: minute, second: second, nanoseconds: nanoseconds)
  }

  /// "AM" or "PM".
  private struct Half {
    var isAfternoon: Bool
    /// Whether it may be the German word "am", with another one behind it.
    var isDoubtful: Bool

    /// The hour of 24; nil if there is none, or it is not clear.
    func hour(_ hour: Int) -> Int? {
      switch hour {
      case 0: isAfternoon ? nil : 0
      case 12 where isDoubtful: nil
      case 1...12: hour % 12 + (isAfternoon ? 12 : 0)
      default: hour
      }
    }
  }

  /// "PM", "pm", "p.m." or "p. m." behind a time, or the same of the morning.
  private static func half(_ bytes: [UInt8], after end: Int) -> Half? {
    var place = end
    func skip(_ marks: String) { if place < bytes.count, marks.utf8.contains(bytes[place]) { place += 1 } }
    skip(" _-.")
    guard place < bytes.count, let isAfternoon = [0x41: false, 0x50: true][bytes[place] & 0xDF] else { return nil }
    let isSmall = bytes[place] & 0x20 != 0
    place += 1
    skip(".")
    skip(" ")
    guard place < bytes.count, bytes[place] & 0xDF == 0x4D, endsProperly(bytes, place + 1) else { return nil }
    let isWordBehind = bytes.count > place + 2 && bytes[place + 1] == 0x20 && isLetter(bytes[place + 2])
    return Half(isAfternoon: isAfternoon, isDoubtful: isSmall && !isAfternoon && isWordBehind)
  }

  /// Two digits after one of "-_.:h" or a space, and no third.
  private static func part(_ bytes: [UInt8], after place: Int) -> Int? {
    guard bytes.count >= place + 3, "-_.:h ".utf8.contains(bytes[place]),
      bytes.count == place + 3 || !Digits.isDigit(bytes[place + 3])
    else { return nil }
    return Digits.value(bytes[(place + 1)..<(place + 3)])
  }

  /// Exactly three digits after a mark.
  private static func millisecondsAfter(_ bytes: [UInt8], _ place: Int) -> ArraySlice<UInt8> {
    guard place < bytes.count, "-_.".utf8.contains(bytes[place]), let run = nextRun(bytes, from: place + 1),
      run.lowerBound == place + 1, run.count == 3
    else { return [] }
    return bytes[run]
  }

  /// No letter goes on with the number. "Z" and "T" belong to times.
  private static func endsProperly(_ bytes: [UInt8], _ end: Int) -> Bool {
    end >= bytes.count || !(isLetter(bytes[end]) || Digits.isDigit(bytes[end]) || bytes[end] >= 0x80)
  }
}
