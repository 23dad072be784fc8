/// A decimal number in a query.
struct Decimal {
  let value: Double
  /// Digits after the point.
  let decimals: Int

  /// An optional sign, up to 15 digits, and optionally a point with up to 9 digits; nil for anything else, such as
  /// "nan", "0x1" and "1e9".
  init?(_ text: QueryText) {
    guard !text.hasQuotes else { return nil }
    var bytes = Array(text.text.utf8)[...]
    let isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative || bytes.first == UInt8(ascii: "+") { bytes = bytes.dropFirst() }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), (1...15).contains(parts[0].count), let whole = Digits.value(parts[0]) else {
      return nil
    }
    var fraction = 0
    var scale = 1.0
    decimals = parts.count == 2 ? parts[1].count : 0
    if parts.count == 2 {
      guard (1...9).contains(decimals), let value = Digits.value(parts[1]) else { return nil }
      fraction = value
      for _ in 0..<decimals { scale *= 10 }
    }
    let value = (Double(whole) * scale + Double(fraction)) / scale
    self.value = isNegative ? -value : value
  }
}

extension QueryParser {
  /// A number with half a unit of its last digit on both sides; a number without a comparison means this range.
  struct Measure {
    var value: Double
    var low: Double
    var high: Double
  }

  func number(_ field: Query.NumberField, _ value: QueryText) throws(QueryError) -> Query.NumberRange {
    var range = Query.NumberRange()
    if let (before, after) = value.rangeDots {
      if before.isEmpty, after.isEmpty { throw QueryError("A range needs at least one end", at: value.range) }
      if !before.isEmpty { range.lower = try measure(field, before).value }
      if !after.isEmpty { range.upper = try measure(field, after).value }
      if range.isEmpty { throw QueryError("This range is empty; swap its ends", at: value.range) }
      return range
    }
    for sign in [">=", "<=", ">", "<"] where value.starts(with: sign) {
      let end = try measure(field, value.dropFirst(sign.count)).value
      if sign.first == ">" { range.lower = end } else { range.upper = end }
      range.includesLower = sign != ">"
      range.includesUpper = sign != "<"
      return range
    }
    let exact = value.starts(with: "=")
    let measure = try measure(field, exact ? value.dropFirst(1) : value)
    if exact || field.isWhole {
      range.lower = measure.value
      range.upper = measure.value
    } else {
      range.lower = measure.low
      range.upper = measure.high
      range.includesUpper = false
    }
    return range
  }

  private func measure(_ field: Query.NumberField, _ text: QueryText) throws(QueryError) -> Measure {
    guard let measure = Self.read(field, text) else {
      throw QueryError("This is not a number; write it like \(field.example)", at: text.range)
    }
    if field.isWhole, measure.value.rounded() != measure.value {
      throw QueryError("This number must be whole", at: text.range)
    }
    guard field.possible.contains(measure.value) else {
      let (low, high) = (field.possible.lowerBound, field.possible.upperBound)
      throw QueryError(
        high < 1e9 ? "This number must be from \(Int(low)) to \(Int(high))" : "This number is not possible",
        at: text.range)
    }
    return measure
  }

  private static func read(_ field: Query.NumberField, _ text: QueryText) -> Measure? {
    var text = text
    for prefix in field.prefixes where text.starts(with: prefix) {
      text = text.dropFirst(prefix.count)
      break
    }
    if field == .duration {
      if let clock = clock(text) { return clock }
      if let sum = sum(field, text) { return sum }
    }
    var factor = 1.0
    for unit in field.units where text.ends(with: unit.suffix) {
      factor = unit.factor
      text = text.dropLast(unit.suffix.count)
      break
    }
    if field == .exposure {
      let parts = text.split("/")
      if parts.count == 2, let above = Decimal(parts[0]), let below = Decimal(parts[1]), above.value > 0,
        below.value >= 1
      {
        return Measure(
          value: factor * above.value / below.value, low: factor * above.value / (below.value + 0.5),
          high: factor * above.value / (below.value - 0.5))
      }
    }
    return Decimal(text).map { measure($0, factor: factor) }
  }

  private static func measure(_ number: Decimal, factor: Double, plus: Double = 0) -> Measure {
    var half = 0.5 * factor
    for _ in 0..<number.decimals { half /= 10 }
    let value = number.value * factor + plus
    return Measure(value: value, low: value - half, high: value + half)
  }

  /// "1:30" or "1:02:03".
  private static func clock(_ text: QueryText) -> Measure? {
    let parts = text.split(":")
    guard (2...3).contains(parts.count) else { return nil }
    var seconds = 0.0
    for (index, part) in parts.enumerated() {
      guard let number = Decimal(part), number.decimals == 0, number.value >= 0, index == 0 || number.value < 60 else {
        return nil
      }
      seconds = seconds * 60 + number.value
    }
    return Measure(value: seconds, low: seconds - 0.5, high: seconds + 0.5)
  }

  /// "1h30m": at least two numbers with units that get smaller.
  private static func sum(_ field: Query.NumberField, _ text: QueryText) -> Measure? {
    var rest = text
    var sum = 0.0
    var last = Double.infinity
    var measure: Measure?
    var count = 0
    while !rest.isEmpty {
      let digits = rest.elements.prefix { ("0"..."9").contains($0.scalar) || $0.scalar == "." }.count
      let number = Decimal(rest.prefix(digits))
      rest = rest.dropFirst(digits)
      let letters = rest.elements.prefix { ("a"..."z").contains($0.scalar) || ("A"..."Z").contains($0.scalar) }.count
      let suffix = rest.prefix(letters).lowered
      rest = rest.dropFirst(letters)
      guard let number, let unit = field.units.first(where: { $0.suffix == suffix }), unit.factor < last else {
        return nil
      }
      measure = Self.measure(number, factor: unit.factor, plus: sum)
      sum = measure?.value ?? 0
      last = unit.factor
      count += 1
    }
    return count >= 2 ? measure : nil
  }
}
