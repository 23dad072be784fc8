extension MediaItem {
  /// Finds the place of the position, and the time from what all sources say; both with their sources. Call it after
  /// all offers, since the zone depends on the position.
  ///
  /// - Parameters:
  ///   - home: the rules of the space's home zone, if it has one.
  ///   - rules: gives the rules of the zone of the place by its name; nil if they are not known.
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
