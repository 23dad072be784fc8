/// Reads texts of foreign metadata, and of people. Nil means that the text is not a value: a wrong number is worse
/// than none.
enum FactText {
  /// The longest number that is read, in bytes.
  private static let mostBytes = 64

  /// The parts between semicolons; in a text without semicolons, between commas.
  static func list(_ text: String) -> [String] {
    let mark: Character = text.utf8.contains(UInt8(ascii: ";")) ? ";" : ","
    return text.split(separator: mark).map { Whitespace.trimmed(String($0)) }.filter { !$0.isEmpty }
  }

  /// A decimal number or a fraction, with an optional prefix and unit.
  static func number(_ text: String, prefix: String = "", units: [String]) -> Double? {
    guard text.utf8.count <= mostBytes else { return nil }
    var text = Whitespace.trimmed(text).lowercased()
    if text.hasPrefix(prefix) { text.removeFirst(prefix.count) }
    if let unit = units.first(where: { text.hasSuffix($0) }) {
      text = Whitespace.trimmed(String(text.dropLast(unit.count)))
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let numerator = decimal(parts[0]) else { return nil }
    guard parts.count == 2 else { return numerator }
    guard let denominator = decimal(parts[1]), denominator != 0 else { return nil }
    let value = numerator / denominator
    return value.isFinite ? value : nil
  }

  /// Swift's `Double` also accepts words and hexadecimal numbers; this does not.
  static func decimal(_ text: some StringProtocol) -> Double? {
    guard text.utf8.contains(where: Digits.isDigit),
      text.utf8.allSatisfy({ Digits.isDigit($0) || [0x2B, 0x2D, 0x2E, 0x65].contains($0) }),
      let value = Double(text), value.isFinite
    else { return nil }
    return value
  }

  /// Stars from −1 to 5; fractions are rounded.
  static func rating(_ text: String) -> Int? {
    guard let value = number(text, units: []), (-1...5).contains(value) else { return nil }
    return Int(value.rounded())
  }

  /// Stars from Microsoft's 1, 25, 50, 75 and 99 percent; 0 is unrated.
  static func ratingPercent(_ text: String) -> Int? {
    guard let value = number(text, units: ["%"]), (0...100).contains(value) else { return nil }
    return value == 0 ? 0 : min(5, Int((value / 25).rounded()) + 1)
  }

  /// Yes or no.
  static func flag(_ text: String) -> Bool? {
    switch Whitespace.trimmed(text).lowercased() {
    case "1", "true", "yes": true
    case "0", "false", "no": false
    default: nil
    }
  }

  /// A time as metadata writes it, or the seconds since 1970 in 9 to 11 digits, or milliseconds in 12 to 14.
  static func time(_ text: String) -> TimeCandidate.Value? {
    if let value = TimeText.parse(text.utf8) { return value }
    let digits = Whitespace.trimmed(text).utf8
    guard (9...14).contains(digits.count), let number = Digits.value(digits) else { return nil }
    if digits.count < 12 { return WallTime(seconds: Int64(number)).map { .universal($0) } }
    let rest = UInt32(number % 1000) * 1_000_000
    return WallTime(seconds: Int64(number / 1000), nanoseconds: rest).map { .universal($0) }
  }

  /// Seconds since 1970; programs that do not know the time write 0.
  static func seconds(_ text: String) -> TimeCandidate.Value? {
    guard text.utf8.count <= 16, let number = Int64(text), number != 0 else { return nil }
    return WallTime(seconds: number).map { .universal($0) }
  }

  /// Seconds, optionally with minutes and hours before them: "95", "1:35", "1:01:35".
  static func duration(_ text: String) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 1 { return number(text, units: ["sec", "s"]) }
    guard parts.count <= 3 else { return nil }
    var total = 0.0
    for part in parts {
      guard let value = decimal(Whitespace.trimmed(String(part))), value >= 0 else { return nil }
      total = total * 60 + value
    }
    return total
  }

  /// "equirectangular" and so on.
  static func projection(_ text: String) -> MediaItem.Projection? {
    switch Whitespace.trimmed(text).lowercased() {
    case "equirectangular", "mono", "1": .equirectangular
    case "cylindrical": .cylindrical
    case "cubemap": .cubemap
    default: nil
    }
  }

  /// "48.85, 2.35", "48.85N 2.35E", or ISO 6709's "+48.85+002.35+035/" without its altitude.
  static func position(_ text: String) -> Position? {
    if let (latitude, longitude, _) = place(text) {
      return rounded(latitude: latitude, longitude: longitude)
    }
    let parts = text.split { [",", ";", " ", "\t"].contains($0) }
    guard text.utf8.count <= 2 * mostBytes, parts.count == 2, let latitude = degrees(String(parts[0])),
      let longitude = degrees(String(parts[1]))
    else { return nil }
    return rounded(latitude: latitude, longitude: longitude)
  }

  /// Rounded to a centimetre, so that a position is stored in few bytes.
  static func rounded(latitude: Double, longitude: Double) -> Position? {
    Position(latitude: (latitude * 1e7).rounded() / 1e7, longitude: (longitude * 1e7).rounded() / 1e7)
  }

  /// ISO 6709, annex H: signed numbers. A reference system or a slash after the altitude is ignored.
  static func place(_ text: String) -> (latitude: Double, longitude: Double, altitude: Double?)? {
    var numbers: [String] = []
    guard text.utf8.count <= mostBytes, let first = text.utf8.first, [0x2B, 0x2D].contains(first) else { return nil }
    // By scalars: a sign with a combining accent would be one character that is not a sign. The text begins with a
    // sign.
    for scalar in text.unicodeScalars.prefix(while: { $0 != "/" && $0 != "C" }) {
      if scalar == "+" || scalar == "-" { numbers.append("") }
      numbers[numbers.count - 1].unicodeScalars.append(scalar)
    }
    guard (2...3).contains(numbers.count), let latitude = angle(numbers[0], digits: 2),
      let longitude = angle(numbers[1], digits: 3), latitude.parts == longitude.parts
    else { return nil }
    return (latitude.degrees, longitude.degrees, numbers.count == 3 ? decimal(numbers[2]) : nil)
  }

  /// Degrees of "+48.8577", "+4851.46" or "+485127.72", and the number of parts: the digits before the point
  /// distinguish the forms. `digits` is the largest number of digits of the degrees.
  private static func angle(_ text: String, digits: Int) -> (degrees: Double, parts: Int)? {
    guard let value = decimal(text) else { return nil }
    let more = text.utf8.dropFirst().prefix { Digits.isDigit($0) }.count - digits
    if more <= 0 { return (value, 1) }
    guard more == 2 || more == 4 else { return nil }
    var rest = abs(value)
    var degrees = 0.0
    if more == 4 {
      let seconds = rest.truncatingRemainder(dividingBy: 100)
      degrees = seconds / 3600
      rest = ((rest - seconds) / 100).rounded()
      guard seconds < 60 else { return nil }
    }
    let minutes = rest.truncatingRemainder(dividingBy: 100)
    guard minutes < 60 else { return nil }
    degrees += minutes / 60 + ((rest - minutes) / 100).rounded()
    return (value < 0 ? -degrees : degrees, 1 + more / 2)
  }

  /// Degrees, minutes and seconds as "48/1 51/1 3024/100", "48,51.504N" or "48.8584"; west and south are negative. A
  /// sign applies to all parts, and is ignored if there is a side.
  static func degrees(_ text: String, side: String = "") -> Double? {
    guard text.utf8.count <= 2 * mostBytes else { return nil }
    var text = Whitespace.trimmed(text).lowercased()
    var side = side.lowercased()
    if let last = text.last, "nsew".contains(last) {
      side = String(last)
      text.removeLast()
    }
    let parts = text.split { " ,".contains($0) }
    guard (1...3).contains(parts.count) else { return nil }
    var value = 0.0
    var isNegative = false
    for (index, part) in parts.enumerated() {
      guard let number = number(String(part), units: []) else { return nil }
      if index == 0 { isNegative = number.sign == .minus }
      // Minutes may be negative only if the degrees are.
      guard number >= 0 || isNegative else { return nil }
      value += abs(number) / [1, 60, 3600][index]
    }
    if !side.isEmpty { isNegative = side.hasPrefix("s") || side.hasPrefix("w") }
    return isNegative ? -value : value
  }
}

extension FactText {
  /// A day and a time of day as one text: "20240506" and "070809+0200" from IPTC, "2024:05:06" and "7/1 8/1 9/1" from
  /// EXIF, and the forms in which libraries return them.
  static func joined(day: String, clock: String) -> String? {
    var day = Whitespace.trimmed(day)
    if day.utf8.count == 8, day.utf8.allSatisfy(Digits.isDigit) {
      let parts = Array(day)
      day = String(parts[0..<4]) + "-" + String(parts[4..<6]) + "-" + String(parts[6..<8])
    }
    let clock = Whitespace.trimmed(clock)
    if clock.utf8.count <= mostBytes, clock.contains(" ") {
      let parts = clock.split(separator: " ").map { number(String($0), units: []) }
      guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
        (0..<24).contains(hour), (0..<60).contains(minute), (0..<61).contains(second)
      else { return nil }
      let numbers = [hour, minute, second].map { Digits.padded(Int($0), to: 2) }
      return day + " " + numbers.joined(separator: ":")
    }
    let digits = clock.utf8.prefix { Digits.isDigit($0) }
    guard digits.count == 6 else { return clock.isEmpty ? day : day + " " + clock }
    let parts = Array(clock)
    return day + " " + String(parts[0..<2]) + ":" + String(parts[2..<4]) + ":" + String(parts[4...])
  }
}
