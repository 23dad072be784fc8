/// The rule for the years after the last transition, like "CET-1CEST,M3.5.0,M10.5.0/3" (POSIX's TZ, with the extended
/// hours of RFC 9636).
struct ZoneFooter: Hashable, Sendable {
  /// When in a year the clocks are set.
  struct Change: Hashable, Sendable {
    enum Day: Hashable, Sendable {
      /// 1 to 365, February 29th never counts.
      case withoutLeap(Int)
      /// 0 to 365.
      case withLeap(Int)
      /// The n-th of a weekday in a month; the fifth is the last.
      case weekday(month: Int, week: Int, weekday: Int)
    }

    var day: Day
    /// Seconds after midnight, −167 to 167 hours.
    var second: Int64
  }

  let standard: Int32
  /// Nil without summer time.
  let summer: Summer?

  struct Summer: Hashable, Sendable {
    var offset: Int32
    var start: Change
    var end: Change
  }

  /// Seconds by which the clocks are ahead of UTC.
  func offset(instant: Int64) -> Int32 {
    guard let summer, let year = Self.year(of: instant) else { return standard }
    // The offset after the last change until then. Changes near new year may belong to the year before or after.
    var last: (time: Int64, offset: Int32)?
    for change in changes(of: year, summer) where change.time <= instant {
      if last.map({ $0.time <= change.time }) ?? true { last = change }
    }
    return last?.offset ?? standard
  }

  /// The next moment at which the offset may be another.
  func nextChange(after instant: Int64) -> Int64? {
    guard let summer, let year = Self.year(of: instant) else { return nil }
    return changes(of: year, summer).map(\.time).filter { $0 > instant }.min()
  }

  private static func year(of instant: Int64) -> Int? {
    WallTime(seconds: instant)?.date.year
  }

  private func changes(of year: Int, _ summer: Summer) -> [(time: Int64, offset: Int32)] {
    // Where summer is always, it begins in the moment in which it ends, so the beginning comes later in the list.
    ((year - 1)...(year + 1)).flatMap { year in
      [
        (Self.moment(summer.end, of: year) - Int64(summer.offset), standard),
        (Self.moment(summer.start, of: year) - Int64(standard), summer.offset),
      ]
    }
  }

  /// The wall time of a change, in seconds since 1970.
  private static func moment(_ change: Change, of year: Int) -> Int64 {
    // Years 0 and 10000 are next to the possible years.
    guard let january = CivilDate(year: min(max(year, 1), 9999), month: 1, day: 1) else {
      preconditionFailure("the year is possible")
    }
    let first = january.daysSince1970
    let isLeap = CivilDate.isLeap(january.year)
    let day: Int64
    switch change.day {
    case .withoutLeap(let number): day = Int64(number - 1 + (isLeap && number >= 60 ? 1 : 0))
    case .withLeap(let number): day = Int64(number)
    case .weekday(let month, let week, let weekday):
      guard let begin = CivilDate(year: january.year, month: month, day: 1) else {
        preconditionFailure("the month was checked")
      }
      let firstDay = (weekday - begin.weekday + 7) % 7
      var date = firstDay + 7 * (week - 1)
      if date >= CivilDate.days(inMonth: month, of: january.year) { date -= 7 }
      day = begin.daysSince1970 - first + Int64(date)
    }
    return (first + day) * 86_400 + change.second
  }
}
