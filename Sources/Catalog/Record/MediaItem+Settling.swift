extension MediaItem {
  /// Finds the place from the position, and the time from the statements of all sources; records the sources of both.
  /// Call this after all offers, because the zone depends on the position.
  ///
  /// - Parameters:
  ///   - home: the rules of the space's home zone, if it has one.
  ///   - rules: returns the rules of the place's zone by its name; nil if they are unknown.
  package mutating func settle(
    times: [TimeCandidate], gazetteer: Gazetteer?, home: ZoneRules? = nil, rules: (String) -> ZoneRules?
  ) {
    place = position.flatMap { gazetteer?.place(at: $0) }
    sources[.place] = place == nil ? [] : FactSources(.gazetteer)
    let zone = position.flatMap { gazetteer?.zone(at: $0) }.flatMap(rules)
    taken = CapturedTime.resolve(times, zone: zone, home: home)
    sources[.time] = taken.map { FactSources($0.source) } ?? []
    sources[.zone] = taken?.zoneSource.map { FactSources($0) } ?? []
  }
}
