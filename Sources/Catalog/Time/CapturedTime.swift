// Invariants
// 1. A time has a source of the zone exactly if it has an offset.
// 2. `wall` is the time that the source states. Only a UTC time is converted to wall time, by a known offset.

/// The time at which a photo was taken: the local wall clock, and its offset from UTC if known.
package struct CapturedTime: Hashable, Sendable {
  package let wall: WallTime
  /// The source of the time.
  package let source: FactSource
  /// Seconds by which the clock was ahead of UTC. Before 1900 they are rarely whole minutes.
  package let offset: Int32?
  /// The source of the zone.
  package let zoneSource: FactSource?

  /// A time with a known zone.
  package init(wall: WallTime, source: FactSource, offset: Int32, zoneSource: FactSource) {
    self.wall = wall
    self.source = source
    self.offset = offset
    self.zoneSource = zoneSource
  }

  /// A time with an unknown zone.
  package init(wall: WallTime, source: FactSource) {
    self.wall = wall
    self.source = source
    offset = nil
    zoneSource = nil
  }

  /// Whether more is known than the file's modification time, which a copy changes.
  package var isKnown: Bool { source != .fileTime }

  /// Whether only UTC is recorded, without any evidence of the local wall clock.
  var isFromUTC: Bool { zoneSource == .universal || zoneSource == .home }

  /// Seconds since 1970, UTC; nil without a zone.
  package var instant: Int64? { offset.map { wall.seconds - Int64($0) } }
}

/// The statement of one source about the time.
package struct TimeCandidate: Hashable, Sendable {
  /// The kind of clock.
  package enum Value: Hashable, Sendable {
    /// A local clock, and its offset in seconds if the source states one.
    case wall(WallTime, offset: Int32?)
    /// A clock in UTC.
    case universal(WallTime)
  }

  package var value: Value
  package var source: FactSource
  /// Takes both.
  package init(_ value: Value, from source: FactSource) {
    self.value = value
    self.source = source
  }
}

extension TimeCandidate {
  /// The wall time, the offset and the source, if the wall time equals `other` to the second.
  fileprivate func sayingMore(of other: WallTime) -> (wall: WallTime, offset: Int32?, source: FactSource)? {
    guard case .wall(let wall, let offset) = value, wall.precision == .second, other.precision == .second,
      wall.seconds == other.seconds
    else { return nil }
    return (wall, offset, source)
  }
}

extension CapturedTime {
  /// No zone was ever farther from UTC: Manila was 15:56 behind before 1844, and Metlakatla 15:14 ahead.
  package static let mostOffset: Int32 = 16 * 3600

  /// The time of a photo from the statements of all sources, the rules of the zone where it was taken, and those of
  /// the space's home zone.
  ///
  /// The first source in the order of ``FactSource/order(of:)`` wins.
  ///
  /// If it states a wall time, the numbers stay. A missing offset, or missing parts of a second, come from another
  /// source with the same second; an offset still missing comes from the zone of the place. A wall time never gets an
  /// offset from the home zone, which says nothing about where the photo was taken.
  ///
  /// If it states UTC, the zone of the place gives the wall time; without a place another source's wall time does, if
  /// the two differ by whole quarters of an hour; otherwise the home zone does; without that the wall time is that of
  /// UTC.
  package static func resolve(
    _ candidates: [TimeCandidate], zone: ZoneRules? = nil, home: ZoneRules? = nil
  ) -> CapturedTime? {
    let usable = candidates.compactMap { candidate in candidate.source.rank(for: .time).map { (candidate, $0) } }
    guard let winner = usable.min(by: { $0.1 < $1.1 })?.0 else { return nil }
    switch winner.value {
    case .wall(let first, let offset):
      // The file is often more exact than its sidecar, which states the time to the second.
      let same = usable.sorted { $0.1 < $1.1 }.compactMap { $0.0.sayingMore(of: first) }
      let wall = first.nanoseconds == 0 ? same.first { $0.wall.nanoseconds != 0 }?.wall ?? first : first
      if let offset, abs(Int64(offset)) <= Int64(mostOffset) {
        return CapturedTime(wall: wall, source: winner.source, offset: offset, zoneSource: winner.source)
      }
      for other in same {
        guard let offset = other.offset, abs(Int64(offset)) <= Int64(mostOffset) else { continue }
        return CapturedTime(wall: wall, source: winner.source, offset: offset, zoneSource: other.source)
      }
      guard wall.precision.hasClock, let offset = zone?.offset(wall: wall.seconds) else {
        return CapturedTime(wall: wall, source: winner.source)
      }
      return CapturedTime(wall: wall, source: winner.source, offset: offset, zoneSource: .gazetteer)
    case .universal(let time):
      // A day in UTC covers parts of two days elsewhere.
      if !time.precision.hasClock { return CapturedTime(wall: time, source: winner.source) }
      if let offset = zone?.offset(instant: time.seconds), let wall = time.shifted(by: offset) {
        return CapturedTime(wall: wall, source: winner.source, offset: offset, zoneSource: .gazetteer)
      }
      for (candidate, _) in usable.sorted(by: { $0.1 < $1.1 }) {
        guard case .wall(let wall, let offset) = candidate.value, wall.precision == .second else { continue }
        if let offset = offset ?? difference(wall, time), let shifted = time.shifted(by: offset) {
          return CapturedTime(wall: shifted, source: winner.source, offset: offset, zoneSource: .difference)
        }
      }
      if let offset = home?.offset(instant: time.seconds), let wall = time.shifted(by: offset) {
        return CapturedTime(wall: wall, source: winner.source, offset: offset, zoneSource: .home)
      }
      return CapturedTime(wall: time, source: winner.source, offset: 0, zoneSource: .universal)
    }
  }

  /// The offset between a wall time and UTC, to 2 seconds; nil unless it is a multiple of a quarter of an hour.
  private static func difference(_ wall: WallTime, _ universal: WallTime) -> Int32? {
    let seconds = wall.seconds - universal.seconds
    guard abs(seconds) <= 14 * 3600 + 2 else { return nil }
    let quarters = (Double(seconds) / 900).rounded()
    return abs(Double(seconds) - quarters * 900) <= 2 ? Int32(quarters * 900) : nil
  }
}

extension WallTime {
  /// The wall time of a clock that is this many seconds ahead; nil outside the years 1 to 9999.
  func shifted(by offset: Int32) -> WallTime? {
    WallTime(seconds: seconds + Int64(offset), nanoseconds: nanoseconds, precision: precision)
  }
}
