/// Times as metadata writes them: EXIF's "2024:08:15 10:30:05" and ISO 8601's "2024-08-15T10:30:05.25+02:00", also with
/// other marks in the day ("2024/08/15"), with a space for a zero ("10:30: 5"), and with words (``WordedTime``). Of old
/// photos they know the year or the month alone: "1953", "1953-07", "1953:07:00 00:00:00", "1953:07:  ".
package enum TimeText {
  /// Longest text that is looked at, in bytes.
  static let mostBytes = 64

  /// A year, a month, a day, or a time of day with an offset if there is one; nil for everything else, as
  /// "0000:00:00 00:00:00".
  package static func parse(_ text: some Sequence<UInt8>) -> TimeCandidate.Value? {
    let bytes = [UInt8](text.prefix(mostBytes + 1))
    guard bytes.count <= mostBytes else { return nil }
    return numeric(bytes) ?? WordedTime.numbers(bytes).flatMap { numeric($0) }
  }

  private static func numeric(_ bytes: [UInt8]) -> TimeCandidate.Value? {
    var reader = Reader(bytes: bytes)
    reader.skipSpace()
    guard let year = reader.number(digits: 4) else { return nil }
    if reader.restIsUnknown { return WallTime(year: year).map { .wall($0, offset: nil) } }
    // Any of ":-/.", twice the same.
    guard let mark = reader.one(of: [0x3A, 0x2D, 0x2F, 0x2E]), let month = reader.padded() else { return nil }
    if reader.restIsUnknown { return WallTime(year: year, month: month).map { .wall($0, offset: nil) } }
    guard reader.one(of: [mark]) != nil, let day = reader.padded(),
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    if reader.restIsBlank { return .wall(WallTime(date: date), offset: nil) }
    // "T", or spaces.
    if reader.one(of: [0x54]) == nil {
      guard reader.one(of: [0x20]) != nil else { return nil }
      reader.skipSpace()
    }
    guard let hour = reader.padded(), reader.one(of: [0x3A]) != nil, let minute = reader.padded() else { return nil }
    var precision = WallTime.Precision.minute
    var second = 0
    var nanoseconds: UInt32 = 0
    if reader.one(of: [0x3A]) != nil {
      guard let value = reader.padded() else { return nil }
      precision = .second
      second = value
      if reader.one(of: [0x2E, 0x2C]) != nil {
        guard let fraction = reader.fraction() else { return nil }
        nanoseconds = fraction
      }
    }
    guard let time = WallTime(date: date, hour: hour, minute: minute, second: second, nanoseconds: nanoseconds),
      let wall = WallTime(seconds: time.seconds, nanoseconds: nanoseconds, precision: precision)
    else { return nil }
    if reader.restIsSpace { return .wall(wall, offset: nil) }
    reader.skipSpace()
    guard let offset = reader.offset(), reader.restIsSpace else { return nil }
    return .wall(wall, offset: offset)
  }

  /// An offset alone, as EXIF's OffsetTimeOriginal has it: "+02:00", "-0330", "Z".
  package static func offset(_ text: some Sequence<UInt8>) -> Int32? {
    var reader = Reader(bytes: [UInt8](text.prefix(mostBytes + 1)))
    guard reader.bytes.count <= mostBytes else { return nil }
    reader.skipSpace()
    guard let offset = reader.offset(), reader.restIsSpace else { return nil }
    return offset
  }

  /// EXIF's SubSecTimeOriginal: the digits after the point.
  package static func fraction(_ text: some Sequence<UInt8>) -> UInt32? {
    var reader = Reader(bytes: [UInt8](text.prefix(mostBytes)))
    guard let fraction = reader.fraction(), reader.restIsSpace else { return nil }
    return fraction
  }

  private struct Reader {
    let bytes: [UInt8]
    var place = 0

    /// Spaces, and the NUL that ends a text in EXIF.
    var restIsSpace: Bool { bytes[place...].allSatisfy { $0 == 0x20 || $0 == 0 } }

    /// A time of day that is not known has its colons at most.
    var restIsBlank: Bool { bytes[place...].allSatisfy { $0 == 0x20 || $0 == 0 || $0 == 0x3A } }

    /// Behind a year or a month: blanks and zeros in the place of numbers, or nothing. A zero alone may be half of one.
    var restIsUnknown: Bool {
      let rest = bytes[place...]
      guard let first = rest.first, let last = rest.last else { return true }
      guard first != 0x30, " \0:0Z".utf8.contains(last), rest.allSatisfy({ " \0:-/.T0+Z".utf8.contains($0) }) else {
        return false
      }
      return rest.split(whereSeparator: { $0 != 0x30 }).allSatisfy { $0.count > 1 }
    }

    mutating func skipSpace() { while place < bytes.count, bytes[place] == 0x20 { place += 1 } }

    mutating func number(digits: Int) -> Int? {
      guard bytes.count - place >= digits, let value = Digits.value(bytes[place..<place + digits]) else { return nil }
      place += digits
      return value
    }

    /// Two digits, or one with a space for the zero before it. One digit alone counts if something follows: otherwise
    /// the text may be cut.
    mutating func padded() -> Int? {
      if let value = number(digits: 2) { return value }
      let isPadded = one(of: [0x20]) != nil
      guard let value = number(digits: 1) else { return nil }
      let next = place < bytes.count ? bytes[place] : 0
      return Digits.isDigit(next) || next == 0 && !isPadded ? nil : value
    }

    mutating func one(of marks: [UInt8]) -> UInt8? {
      guard place < bytes.count, marks.contains(bytes[place]) else { return nil }
      place += 1
      return bytes[place - 1]
    }

    /// The digits after a point, as nanoseconds; digits after the ninth do not count.
    mutating func fraction() -> UInt32? {
      var value: UInt32 = 0
      var digits = 0
      while place < bytes.count, Digits.isDigit(bytes[place]) {
        if digits < 9 { value = value * 10 + UInt32(bytes[place] - 0x30) }
        digits += 1
        place += 1
      }
      guard digits > 0 else { return nil }
      for _ in 0..<max(0, 9 - digits) { value *= 10 }
      return value
    }

    mutating func offset() -> Int32? {
      if one(of: [0x5A]) != nil { return 0 }
      guard let sign = one(of: [0x2B, 0x2D]), let hours = number(digits: 2) else { return nil }
      let hasColon = one(of: [0x3A]) != nil
      let minutes = number(digits: 2)
      // Before 1900 offsets have seconds.
      let hasSeconds = hasColon && one(of: [0x3A]) != nil
      guard let minutes = hasColon ? minutes : minutes ?? 0, minutes < 60, hours <= 15,
        let seconds = hasSeconds ? number(digits: 2) : 0, seconds < 60
      else { return nil }
      let all = Int32(hours * 3600 + minutes * 60 + seconds)
      return sign == 0x2D ? -all : all
    }
  }
}
