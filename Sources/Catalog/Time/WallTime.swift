// Invariants
// 1. `seconds` is within the years 1 to 9999, and `nanoseconds` below 1,000,000,000.
// 2. Units finer than the precision are zero; a month or a year is stored as its first day at midnight.

/// The time that a clock on the wall showed. Without a zone it is not a point in time, and it is never shifted.
package struct WallTime: Hashable, Sendable {
  /// How exact it is.
  package enum Precision: UInt8, Sendable, CaseIterable {
    case day = 1
    case minute, second
    case month, year

    /// Whether the time of day is known, at least to the minute.
    package var hasClock: Bool { self == .minute || self == .second }
    /// Whether not even the day is known.
    package var isPartial: Bool { self == .month || self == .year }
  }

  /// Seconds since 1970-01-01 00:00, as if the clock were in UTC.
  package let seconds: Int64
  package let nanoseconds: UInt32
  package let precision: Precision

  /// Nil outside the years 1 to 9999. Units finer than the precision are cut off.
  package init?(seconds: Int64, nanoseconds: UInt32 = 0, precision: Precision = .second) {
    guard Self.range.contains(seconds), nanoseconds < 1_000_000_000 else { return nil }
    let unit: Int64 = precision == .second ? 1 : precision == .minute ? 60 : 86_400
    // Down, also before 1970.
    let rest = seconds % unit
    var start = seconds - (rest < 0 ? rest + unit : rest)
    if precision.isPartial, let date = CivilDate(daysSince1970: start / 86_400),
      let first = CivilDate(year: date.year, month: precision == .year ? 1 : date.month, day: 1)
    {
      start = first.daysSince1970 * 86_400
    }
    self.seconds = start
    self.nanoseconds = precision == .second ? nanoseconds : 0
    self.precision = precision
  }

  /// Nil if the time does not exist. Second 60 is a leap second and becomes 59, as nearly all clocks count it.
  package init?(date: CivilDate, hour: Int, minute: Int, second: Int = 0, nanoseconds: UInt32 = 0) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second) else { return nil }
    self.init(
      seconds: date.daysSince1970 * 86_400 + Int64(hour * 3600 + minute * 60 + min(second, 59)),
      nanoseconds: nanoseconds)
  }

  /// A day whose time of day is not known.
  package init(date: CivilDate) {
    seconds = date.daysSince1970 * 86_400
    nanoseconds = 0
    precision = .day
  }

  /// A month or a year without a known day. Nil if the month does not exist.
  package init?(year: Int, month: Int? = nil) {
    guard let first = CivilDate(year: year, month: month ?? 1, day: 1) else { return nil }
    seconds = first.daysSince1970 * 86_400
    nanoseconds = 0
    precision = month == nil ? .year : .month
  }

  static let range: ClosedRange<Int64> =
    CivilDate.firstDay * 86_400...CivilDate.lastDay * 86_400 + 86_399

  /// Days since 1970-01-01.
  package var dayNumber: Int64 { seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400 }

  /// Its day.
  package var date: CivilDate {
    guard let date = CivilDate(daysSince1970: dayNumber) else { preconditionFailure("invariant 1") }
    return date
  }

  /// Seconds since the day began.
  package var secondOfDay: Int { Int(seconds - dayNumber * 86_400) }

  /// Its month from 1 to 12; nil if only the year is known.
  package var knownMonth: Int? { precision == .year ? nil : date.month }

  /// Its day of the month; nil if only the month or the year is known.
  package var knownDay: Int? { precision.isPartial ? nil : date.day }

  /// The second after the last one that it may be.
  package var end: Int64 {
    switch precision {
    case .second: seconds + 1
    case .minute: seconds + 60
    case .day: seconds + 86_400
    case .month: seconds + Int64(CivilDate.days(inMonth: date.month, of: date.year)) * 86_400
    case .year: seconds + (CivilDate.isLeap(date.year) ? 366 : 365) * 86_400
    }
  }

  /// Whether the time is within a range; nil leaves an end open. A time without a known day is within the range only
  /// with its whole month or year.
  package func isWithin(from start: Int64?, before end: Int64?) -> Bool {
    if let start, seconds < start { return false }
    guard let end else { return true }
    return precision.isPartial ? self.end <= end : seconds < end
  }

  /// Whether it is known to be in a month of any year, or on a day of it.
  package func isKnown(inMonth month: Int, day: Int?) -> Bool {
    knownMonth == month && (day == nil || knownDay == day)
  }
}

extension WallTime: Comparable {
  /// By time; precision does not count, unless the times are the same.
  package static func < (one: Self, other: Self) -> Bool {
    (one.seconds, one.nanoseconds, one.precision.rawValue)
      < (other.seconds, other.nanoseconds, other.precision.rawValue)
  }
}

extension WallTime: CustomStringConvertible {
  /// "2024-08-15T10:30:05.25", without what is not known: "2024-08", "2024".
  package var description: String {
    let date = date
    var text = Digits.padded(date.year, to: 4)
    if precision == .year { return text }
    text += "-" + Digits.padded(date.month, to: 2)
    if precision == .month { return text }
    text += "-" + Digits.padded(date.day, to: 2)
    if precision == .day { return text }
    let second = secondOfDay
    text += "T" + Digits.padded(second / 3600, to: 2) + ":" + Digits.padded(second / 60 % 60, to: 2)
    if precision == .minute { return text }
    text += ":" + Digits.padded(second % 60, to: 2)
    if nanoseconds > 0 {
      var fraction = Digits.padded(Int(nanoseconds), to: 9)
      while fraction.last == "0" { fraction.removeLast() }
      text += "." + fraction
    }
    return text
  }
}

enum Digits {
  /// A number with zeros before it.
  static func padded(_ value: Int, to width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }

  /// The value of 1 to 18 ASCII digits; nil for anything else.
  static func value(_ bytes: some Collection<UInt8>) -> Int? {
    guard (1...18).contains(bytes.count) else { return nil }
    var value = 0
    for byte in bytes {
      guard isDigit(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
