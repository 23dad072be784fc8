/// The rules of zones by their names, each read once.
package struct ZoneLibrary {
  /// Most zones that are kept; the database has 600 names.
  static let mostZones = 1024

  private let load: (String) -> [UInt8]?
  private var zones: [String: ZoneRules?] = [:]

  /// `load` gives the file of a zone below the directory of the database, `/usr/share/zoneinfo` on Linux. It is only
  /// asked for names that are safe as paths.
  package init(load: @escaping (String) -> [UInt8]?) { self.load = load }

  /// Nil if the name is invalid, the zone is unknown, or its file is damaged.
  package mutating func rules(named name: String) -> ZoneRules? {
    guard ZoneName.isValid(name) else { return nil }
    if let known = zones[name] { return known }
    let rules = load(name).flatMap { ZoneRules(tzif: $0) }
    if zones.count < Self.mostZones { zones[name] = .some(rules) }
    return rules
  }
}
