internal import ArgumentParser
internal import Glibc

/// A time of day in the time zone of this machine, such as `03:30`.
struct DailyTime: ExpressibleByArgument, Equatable, CustomStringConvertible {
  let hour: Int
  let minute: Int

  /// Nil unless the text is a time from `0:00` to `23:59`.
  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      parts.allSatisfy({ part in part.utf8.allSatisfy { digits.contains($0) } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
    else { return nil }
    (self.hour, self.minute) = (hour, minute)
  }

  var description: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return two(hour) + ":" + two(minute)
  }

  /// The next time that a clock shows this time, once for each day: the first of two such times where clocks are set
  /// back, and a time after the gap where they are set forward and skip it.
  ///
  /// - Parameter seconds: seconds since 1970. The result is later.
  func next(after seconds: Int64) -> Int64 {
    // The zone of the machine may have been changed.
    tzset()
    var now = time_t(seconds)
    var today = unsafe tm()
    guard unsafe localtime_r(&now, &today) != nil else { return seconds + 86_400 }
    let (year, month, day) = unsafe (today.tm_year, today.tm_mon, today.tm_mday)
    // A zone that moves across the date line skips a day.
    for later: CInt in 0...3 {
      if let found = moment(year, month, day + later), found > seconds { return found }
    }
    return seconds + 86_400
  }

  /// This time on a day, which may be after the end of the month; nil if it cannot be expressed.
  private func moment(_ year: CInt, _ month: CInt, _ day: CInt) -> Int64? {
    var shown: [Int64] = []
    var skipped: Int64?
    // mktime(3) does not define which of two times it chooses by itself.
    for isSummerTime: CInt in [1, 0] {
      var parts = unsafe tm()
      unsafe parts.tm_year = year
      unsafe parts.tm_mon = month
      unsafe parts.tm_mday = day
      unsafe parts.tm_hour = CInt(hour)
      unsafe parts.tm_min = CInt(minute)
      unsafe parts.tm_isdst = isSummerTime
      let seconds = unsafe mktime(&parts)
      if seconds == -1 { continue }
      // It replaces a time that no clock shows by another one.
      let (foundHour, foundMinute) = unsafe (Int(parts.tm_hour), Int(parts.tm_min))
      if foundHour == hour, foundMinute == minute {
        shown.append(Int64(seconds))
      } else if isSummerTime == 0 {
        skipped = Int64(seconds)
      }
    }
    return shown.min() ?? skipped
  }
}
