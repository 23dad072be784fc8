extension MediaItem {
  /// Finds the place of the position, and the time from what all sources say; both with their sources. Call it after
  /// all offers, since the zone depends on the position.
  ///
  /// - Parameter home: the rules of the space's home zone, if it has one.
  package mutating func settle(
    times: [TimeCandidate], gazetteer: Gazetteer?, home: ZoneRules? = nil, zones: inout ZoneLibrary
  ) {
    place = position.flatMap { gazetteer?.place(at: $0) }
    sources[.place] = place == nil ? [] : FactSources(.gazetteer)
    let zone = position.flatMap { gazetteer?.zone(at: $0) }.flatMap { zones.rules(named: $0) }
    taken = CapturedTime.resolve(times, zone: zone, home: home)
    sources[.time] = taken.map { FactSources($0.source) } ?? []
    sources[.zone] = taken?.zoneSource.map { FactSources($0) } ?? []
  }
}
