/// A time in whole seconds since 1970, UTC, as requests and replies write it.
package struct RequestTime: Comparable, Sendable {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  private static let daySeconds: Int64 = 86_400

  /// Seconds since 1970.
  package let seconds: Int64

  /// The time of these seconds.
  package init(seconds: Int64) { self.seconds = seconds }

  /// Reads the value of a Date header (RFC 9110, IMF-fixdate: `Fri, 24 May 2013 00:00:00 GMT`); nil for anything else.
  package init?(header: String) {
    let words = header.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 6, words[5] == "GMT", let month = Self.months.firstIndex(of: String(words[2])) else {
      return nil
    }
    let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
    let numbers = ([words[1], words[3]] + clock).compactMap { word in
      word.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(word) : nil
    }
    guard numbers.count == 5, clock.count == 3, (1...31).contains(numbers[0]), (1970...9999).contains(numbers[1]),
      numbers[2] < 24, numbers[3] < 60, numbers[4] <= 60
    else { return nil }
    let days = Self.days(year: numbers[1], month: Int64(month) + 1, day: numbers[0])
    seconds = days * Self.daySeconds + numbers[2] * 3600 + numbers[3] * 60 + numbers[4]
  }

  /// Reads a time such as `2026-11-30T10:00:00Z`, with or without a fraction of a second, which is ignored.
  package init?(iso text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
    let fraction = bytes[19..<(bytes.count - 1)]
    guard fraction.isEmpty || fraction.first == UInt8(ascii: "."), fraction.dropFirst().allSatisfy(Self.isDigit) else {
      return nil
    }
    for (place, mark) in zip([4, 7, 10, 13, 16], "--T::".utf8) where bytes[place] != mark { return nil }
    let parts = [bytes[0..<4], bytes[5..<7], bytes[8..<10], bytes[11..<13], bytes[14..<16], bytes[17..<19]]
    guard parts.allSatisfy({ $0.allSatisfy(Self.isDigit) }) else { return nil }
    let numbers = parts.map { $0.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) } }
    guard (1970...9999).contains(numbers[0]), (1...12).contains(numbers[1]), (1...31).contains(numbers[2]),
      numbers[3] < 24, numbers[4] < 60, numbers[5] <= 60
    else { return nil }
    let days = Self.days(year: numbers[0], month: numbers[1], day: numbers[2])
    seconds = days * Self.daySeconds + numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
  }

  /// As in the header x-amz-date: `20130524T000000Z`.
  package var basic: String {
    let second = seconds - dayNumber * Self.daySeconds
    return day + "T" + Self.digits(second / 3600, 2) + Self.digits(second / 60 % 60, 2) + Self.digits(second % 60, 2)
      + "Z"
  }

  /// The day as in the scope of a signature: `20130524`.
  package var day: String {
    // Years that begin with March, in cycles of 400 years (Howard Hinnant's `civil_from_days`).
    let days = dayNumber + 719_468
    let cycle = days / 146_097
    let dayOfCycle = days % 146_097
    let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
    return Self.digits(year, 4) + Self.digits(month, 2) + Self.digits(dayOfYear - (153 * shifted + 2) / 5 + 1, 2)
  }

  package static func < (one: RequestTime, other: RequestTime) -> Bool { one.seconds < other.seconds }

  private var dayNumber: Int64 { max(0, seconds) / Self.daySeconds }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Days from 1970 to a date.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }

  private static func digits(_ number: Int64, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}
