// Invariants
// 1. `transitions` are strictly ascending, and `offsets` holds for each transition the offset that begins there.
// 2. Offsets are less than 26 hours, the most that RFC 9636 lets a file have.

internal import System

/// The history and the future of the clocks of a place, read from a file of the zone database (TZif, RFC 9636).
package struct ZoneRules: Hashable, Sendable {
  let transitions: [Int64]
  let offsets: [Int32]
  /// Before the first transition.
  let firstOffset: Int32
  /// After the last transition.
  let footer: ZoneFooter?

  /// Seconds by which the clocks were ahead of UTC at a moment, in seconds since 1970.
  package func offset(instant: Int64) -> Int32 {
    let next = index(after: instant)
    if next == transitions.count, let footer { return footer.offset(instant: instant) }
    return next == 0 ? firstOffset : offsets[next - 1]
  }

  /// What a wall time in this place can mean.
  package enum Meaning: Hashable, Sendable {
    case one(offset: Int32)
    /// The clocks were set back and showed it twice.
    case two(earlier: Int32, later: Int32)
    /// The clocks were set forward and skipped it. Read with `before`, it is after the change by the same distance.
    case none(before: Int32, after: Int32)
  }

  /// What a wall time, in seconds since 1970 as if in UTC, can mean.
  package func meaning(wall: Int64) -> Meaning {
    // A moment is the wall time less an offset, so it is one of at most two within 26 hours that agree with themselves.
    let span: Int64 = 26 * 3600
    var candidates: [Int32] = []
    let (start, end) = (wall.subtractingClamped(span), wall.addingClamped(span))
    var moment = start
    while true {
      let offset = offset(instant: moment)
      if candidates.last != offset { candidates.append(offset) }
      guard let next = nextChange(after: moment), next <= end else { break }
      moment = next
    }
    var fitting: [Int32] = []
    for offset in candidates where !fitting.contains(offset) {
      if self.offset(instant: wall.subtractingClamped(Int64(offset))) == offset { fitting.append(offset) }
    }
    // A greater offset is an earlier moment.
    if let most = fitting.max(), let least = fitting.min() {
      return most == least ? .one(offset: most) : .two(earlier: most, later: least)
    }
    // The change that swallowed it: with the offset before it the moment is after it, and the reverse.
    for (before, after) in zip(candidates, candidates.dropFirst()) where before < after {
      let late = self.offset(instant: wall.subtractingClamped(Int64(before)))
      let early = self.offset(instant: wall.subtractingClamped(Int64(after)))
      if late == after, early == before { return .none(before: before, after: after) }
    }
    let offset = offset(instant: wall)
    return .none(before: offset, after: offset)
  }

  /// The offset of a wall time: of the first of two moments, and that before the change for a time that never was.
  package func offset(wall: Int64) -> Int32 {
    switch meaning(wall: wall) {
    case .one(let offset): offset
    case .two(let earlier, _): earlier
    case .none(let before, _): before
    }
  }

  /// The index of the first transition after a moment.
  private func index(after instant: Int64) -> Int {
    transitions.prefixCount { $0 <= instant }
  }

  private func nextChange(after instant: Int64) -> Int64? {
    let next = index(after: instant)
    if next < transitions.count { return transitions[next] }
    return footer?.nextChange(after: instant)
  }
}

extension Int64 {
  func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }

  func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other > 0 ? .min : .max) : difference
  }
}
