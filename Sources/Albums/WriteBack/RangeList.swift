// Invariants
// 1. Ranges are sorted and not empty, and no two overlap or touch.

/// A small set of integers, kept as ranges.
struct RangeList: Equatable {
  private(set) var ranges: [Range<Int>] = []

  /// How many integers are in the set.
  var count: Int { ranges.reduce(0) { $0 + $1.count } }

  var isEmpty: Bool { ranges.isEmpty }

  /// Index of the first range whose end is at least `value`.
  private func index(endingAtOrAfter value: Int) -> Int {
    // Most writes go forward, so the last range is the likely one.
    if let last = ranges.last, last.lowerBound <= value {
      return last.upperBound >= value ? ranges.count - 1 : ranges.count
    }
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds a range; returns the range of the set that contains it now.
  @discardableResult
  mutating func insert(_ range: Range<Int>) -> Range<Int> {
    if range.isEmpty { return range }
    let first = index(endingAtOrAfter: range.lowerBound)
    var last = first
    var joined = range
    while last < ranges.count, ranges[last].lowerBound <= range.upperBound {
      joined = min(joined.lowerBound, ranges[last].lowerBound)..<max(joined.upperBound, ranges[last].upperBound)
      last += 1
    }
    if last == first + 1 { ranges[first] = joined } else { ranges.replaceSubrange(first..<last, with: [joined]) }
    return joined
  }

  mutating func remove(_ range: Range<Int>) {
    if range.isEmpty { return }
    let first = index(endingAtOrAfter: range.lowerBound + 1)
    var last = first
    var rest: [Range<Int>] = []
    while last < ranges.count, ranges[last].lowerBound < range.upperBound {
      let old = ranges[last]
      if old.lowerBound < range.lowerBound { rest.append(old.lowerBound..<range.lowerBound) }
      if old.upperBound > range.upperBound { rest.append(range.upperBound..<old.upperBound) }
      last += 1
    }
    if last > first { ranges.replaceSubrange(first..<last, with: rest) }
  }

  /// The parts of `range` that are in the set, in order.
  func parts(in range: Range<Int>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var index = index(endingAtOrAfter: range.lowerBound + 1)
    while index < ranges.count, ranges[index].lowerBound < range.upperBound {
      found.append(ranges[index].clamped(to: range))
      index += 1
    }
    return found
  }

  /// The parts of `range` that are not in the set, in order.
  func gaps(in range: Range<Int>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var start = range.lowerBound
    for part in parts(in: range) {
      if start < part.lowerBound { found.append(start..<part.lowerBound) }
      start = part.upperBound
    }
    if start < range.upperBound { found.append(start..<range.upperBound) }
    return found
  }
}
