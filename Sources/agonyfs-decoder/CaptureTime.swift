internal import Media

/// When something was taken, with the time zone if known.
struct CaptureTime {
  /// Seconds since 1970 UTC; without an offset, the local time read as if it were UTC.
  var seconds: Int64
  /// Minutes east of UTC.
  var offsetMinutes: Int?

  /// "2024-05-06T07:08:09.000000Z" or "2024-05-06T07:08:09+0200": without a zone, a container's time is UTC.
  init?(iso8601 text: [UInt8]) {
    guard let local = Self.seconds(text) else { return nil }
    let rest = text.dropFirst(19).drop { $0 == 0x2e || (0x30...0x39).contains($0) }
    offsetMinutes = rest.isEmpty || rest.first == 0x5a ? 0 : Self.offset(Array(rest))
    seconds = local - Int64(offsetMinutes ?? 0) * 60
  }

  /// EXIF's "2024:05:06 07:08:09" and, if present, its "+02:00" (Exif 2.32, 4.6.5).
  init?(exif text: [UInt8], offset: [UInt8]?) {
    guard let local = Self.seconds(text) else { return nil }
    offsetMinutes = offset.flatMap(Self.offset)
    seconds = local - Int64(offsetMinutes ?? 0) * 60
  }

  /// Year, month, day, hour, minute and second, separated by any one byte each.
  private static func seconds(_ text: [UInt8]) -> Int64? {
    guard text.count >= 19, let year = number(text[0..<4]), let month = number(text[5..<7]),
      let day = number(text[8..<10]),
      let hour = number(text[11..<13]), let minute = number(text[14..<16]), let second = number(text[17..<19]),
      year >= 1800, (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    // Days in the proleptic Gregorian calendar, with years that begin in March.
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    return Int64(days * 86400 + hour * 3600 + minute * 60 + second)
  }

  /// "+02:00" or "+0200".
  private static func offset(_ text: [UInt8]) -> Int? {
    let digits = text.filter { (0x30...0x39).contains($0) }
    guard let sign = text.first, sign == 0x2b || sign == 0x2d, digits.count == 4,
      let hours = number(digits[0..<2]), let minutes = number(digits[2..<4]), minutes < 60
    else { return nil }
    return (sign == 0x2b ? 1 : -1) * (hours * 60 + minutes)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 0x30)
    }
    return value
  }
}
