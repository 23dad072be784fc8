/// By how much a clock was wrong: "+1h30m", "-2d".
package struct TimeShift: Hashable, Sendable {
  /// Never 0.
  package let seconds: Int64

  /// A sign, and days, hours, minutes and seconds in this order, each at most once; nil for anything else.
  package init?(_ text: String) {
    guard let sign = text.utf8.first, [0x2B, 0x2D].contains(sign) else { return nil }
    var rest = Array(text.utf8)[1...]
    var total: Int64 = 0
    for (letter, unit) in zip("dhms".utf8, [86_400, 3600, 60, 1] as [Int64]) {
      let digits = rest.prefix { Digits.isDigit($0) }
      guard rest.dropFirst(digits.count).first == letter else { continue }
      guard digits.count <= 7, let value = Digits.value(digits) else { return nil }
      total += Int64(value) * unit
      rest = rest.dropFirst(digits.count + 1)
    }
    guard rest.isEmpty, total != 0 else { return nil }
    seconds = sign == 0x2D ? -total : total
  }

  /// A time later by it; nil outside the years 1 to 9999, and if the time is not known as exactly as the shift.
  package func moved(_ wall: WallTime) -> WallTime? {
    guard !wall.precision.isPartial,
      let moved = WallTime(
        seconds: wall.seconds + seconds, nanoseconds: wall.nanoseconds, precision: wall.precision),
      moved.seconds - wall.seconds == seconds
    else { return nil }
    return moved
  }
}
