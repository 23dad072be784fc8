extension QueryParser {
  /// A period: seconds of the wall clock.
  private typealias Period = Range<Int64>

  func time(_ field: QueryField, _ value: QueryText) throws(QueryError) -> Query.Condition {
    switch field {
    case .before: return .time(from: nil, before: try period(value).lowerBound)
    case .after: return .time(from: try period(value).upperBound, before: nil)
    default: break
    }
    if value.starts(with: "*-") { return try anniversary(value) }
    if value.starts(with: ">=") { return .time(from: try period(value.dropFirst(2)).lowerBound, before: nil) }
    if value.starts(with: "<=") { return .time(from: nil, before: try period(value.dropFirst(2)).upperBound) }
    if value.starts(with: ">") { return .time(from: try period(value.dropFirst(1)).upperBound, before: nil) }
    if value.starts(with: "<") { return .time(from: nil, before: try period(value.dropFirst(1)).lowerBound) }
    if let (first, last) = value.rangeDots {
      if first.isEmpty, last.isEmpty { throw QueryError("A range needs at least one end", at: value.range) }
      let start = first.isEmpty ? nil : try period(first).lowerBound
      let end = last.isEmpty ? nil : try period(last).upperBound
      if let start, let end, start >= end {
        throw QueryError("This range is empty; swap its ends", at: value.range)
      }
      return .time(from: start, before: end)
    }
    let period = try period(value.starts(with: "=") ? value.dropFirst(1) : value)
    return .time(from: period.lowerBound, before: period.upperBound)
  }

  /// "*-12-24" or "*-12".
  private func anniversary(_ value: QueryText) throws(QueryError) -> Query.Condition {
    let parts = value.dropFirst(2).split("-")
    guard let first = parts.first, let month = Self.number(first, digits: 2), (1...12).contains(month) else {
      throw QueryError("A month is a number from 01 to 12", at: parts.first?.range ?? value.range)
    }
    guard parts.count <= 2 else { throw QueryError("Write a day of any year as *-MM-DD", at: value.range) }
    var day: Int?
    if parts.count == 2 {
      guard let number = Self.number(parts[1], digits: 2),
        (1...CivilDate.days(inMonth: month, of: 2000)).contains(number)
      else { throw QueryError("There is no such day in this month", at: parts[1].range) }
      day = number
    }
    return .anniversary(month: month, day: day)
  }

  private static func number(_ text: QueryText, digits: Int) -> Int? {
    text.elements.count == digits && !text.hasQuotes ? Digits.value(Array(text.text.utf8)) : nil
  }

  private func period(_ text: QueryText) throws(QueryError) -> Period {
    if ["today", "yesterday"].contains(text.lowered) {
      guard let today else { throw QueryError("The current day is not known here", at: text.range) }
      let start = (today.daysSince1970 - (text.lowered == "today" ? 0 : 1)) * 86_400
      return start..<start + 86_400
    }
    if text.rangeDots != nil { throw QueryError("Write one date here, not a range", at: text.range) }
    // A "T", or a space in quotes, separates the day from the time.
    let halves = text.elements.split(maxSplits: 1, omittingEmptySubsequences: false) {
      $0.scalar == "T" || $0.scalar == "t" || $0.scalar == " "
    }
    let day = text.part(halves[0])
    let parts = day.elements.split(omittingEmptySubsequences: false) { $0.scalar == "-" }.map(day.part)
    func part(_ index: Int, _ digits: Int) -> Int? {
      parts[index].elements.count == digits ? Digits.value(Array(parts[index].text.utf8)) : nil
    }
    guard let year = part(0, 4), (1...9999).contains(year) else {
      throw QueryError(
        "A date begins with a year of four digits, such as 2024, 2024-08 or 2024-08-15", at: parts[0].range)
    }
    if parts.count == 1, halves.count == 1 {
      return try days(
        from: CivilDate(year: year, month: 1, day: 1), to: CivilDate(year: year, month: 12, day: 31), text)
    }
    guard parts.count <= 3 else { throw QueryError("A date has a year, a month and a day", at: day.range) }
    guard parts.count >= 2, let month = part(1, 2), (1...12).contains(month) else {
      throw QueryError("A month is a number from 01 to 12", at: parts.count >= 2 ? parts[1].range : day.range)
    }
    let lastDay = CivilDate.days(inMonth: month, of: year)
    if parts.count == 2, halves.count == 1 {
      return try days(
        from: CivilDate(year: year, month: month, day: 1), to: CivilDate(year: year, month: month, day: lastDay), text)
    }
    guard parts.count == 3, let number = part(2, 2), let date = CivilDate(year: year, month: month, day: number) else {
      throw QueryError("This month has days from 01 to \(lastDay)", at: parts.count == 3 ? parts[2].range : day.range)
    }
    if halves.count == 1 { return try days(from: date, to: date, text) }
    return try timeOfDay(date, text.part(halves[1]))
  }

  private func days(from: CivilDate?, to: CivilDate?, _ text: QueryText) throws(QueryError) -> Period {
    guard let from, let to else { throw QueryError("There is no such day", at: text.range) }
    return from.daysSince1970 * 86_400..<(to.daysSince1970 + 1) * 86_400
  }

  private func timeOfDay(_ date: CivilDate, _ text: QueryText) throws(QueryError) -> Period {
    let parts = text.elements.split(omittingEmptySubsequences: false) { $0.scalar == ":" }.map(text.part)
    var numbers: [Int] = []
    for (part, most) in zip(parts, [23, 59, 59]) {
      guard part.elements.count == 2, let number = Digits.value(Array(part.text.utf8)), number <= most else {
        throw QueryError("Write a time as 10, 10:30 or 10:30:05, without parts of a second or a zone", at: part.range)
      }
      numbers.append(number)
    }
    guard parts.count <= 3 else { throw QueryError("Write a time as 10, 10:30 or 10:30:05", at: text.range) }
    let length: Int64 = parts.count == 1 ? 3600 : parts.count == 2 ? 60 : 1
    numbers += [0, 0]
    let start = date.daysSince1970 * 86_400 + Int64(numbers[0] * 3600 + numbers[1] * 60 + numbers[2])
    return start..<start + length
  }
}
