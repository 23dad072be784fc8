extension ZoneFooter {
  /// Nil if the bytes are not a valid rule.
  init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count <= 128 else { return nil }
    var reader = Reader(bytes: Array(bytes))
    guard reader.name(), let west = reader.time(mostHours: 24) else { return nil }
    standard = Int32(-west)
    if reader.isAtEnd {
      summer = nil
      return
    }
    guard reader.name() else { return nil }
    var offset = standard + 3600
    if !reader.isAtEnd, reader.next != UInt8(ascii: ",") {
      guard let west = reader.time(mostHours: 24) else { return nil }
      offset = Int32(-west)
    }
    // POSIX allows a footer without the days of the changes, but then they are unknown.
    guard reader.take(UInt8(ascii: ",")), let start = reader.change(), reader.take(UInt8(ascii: ",")),
      let end = reader.change(), reader.isAtEnd
    else { return nil }
    summer = Summer(offset: offset, start: start, end: end)
  }

  private struct Reader {
    let bytes: [UInt8]
    var place = 0

    var isAtEnd: Bool { place == bytes.count }
    var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func take(_ byte: UInt8) -> Bool {
      guard next == byte else { return false }
      place += 1
      return true
    }

    /// Three letters or more, or anything in angle brackets. What it says does not matter.
    mutating func name() -> Bool {
      let start = place
      if take(UInt8(ascii: "<")) {
        while let byte = next, byte != UInt8(ascii: ">") { place += 1 }
        return take(UInt8(ascii: ">")) && place - start >= 5
      }
      while let byte = next, (0x41...0x5A).contains(byte & 0xDF) { place += 1 }
      return place - start >= 3
    }

    /// [+-]hh[:mm[:ss]] in seconds.
    mutating func time(mostHours: Int) -> Int64? {
      let isNegative = take(UInt8(ascii: "-"))
      if !isNegative { _ = take(UInt8(ascii: "+")) }
      guard let hours = number(most: mostHours) else { return nil }
      var seconds = hours * 3600
      for unit in [60, 1] where take(UInt8(ascii: ":")) {
        guard let part = number(most: 59) else { return nil }
        seconds += part * unit
        if unit == 1 { break }
      }
      return Int64(isNegative ? -seconds : seconds)
    }

    mutating func number(most: Int) -> Int? {
      let start = place
      while let byte = next, Digits.isDigit(byte), place - start < 4 { place += 1 }
      guard let value = Digits.value(bytes[start..<place]), value <= most else { return nil }
      return value
    }

    mutating func change() -> Change? {
      let day: Change.Day
      if take(UInt8(ascii: "J")) {
        guard let number = number(most: 365), number >= 1 else { return nil }
        day = .withoutLeap(number)
      } else if take(UInt8(ascii: "M")) {
        guard let month = number(most: 12), month >= 1, take(UInt8(ascii: ".")), let week = number(most: 5), week >= 1,
          take(UInt8(ascii: ".")), let weekday = number(most: 6)
        else { return nil }
        day = .weekday(month: month, week: week, weekday: weekday)
      } else {
        guard let number = number(most: 365) else { return nil }
        day = .withLeap(number)
      }
      var second: Int64 = 7200
      if take(UInt8(ascii: "/")) {
        guard let time = time(mostHours: 167) else { return nil }
        second = time
      }
      return Change(day: day, second: second)
    }
  }
}
