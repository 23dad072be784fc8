// The catalog's state in memory.

package import Catalog
internal import Glibc
internal import System
package import SystemPackage
internal import Vault

/// The tables of places and zones that a file system uses.
package struct PlaceTables: Sendable {
  /// A table of towns in GeoNames' format; `regions` and `countries` are the tables that belong to it.
  package var towns: FilePath
  package var regions: String
  package var countries: String
  /// Identifies the user's own table of towns; nil for Debian's, which never changes the place that a photo has.
  package var identity: Int64?
  /// The directory of the zone database.
  package var zones: String

  /// The tables of Debian's packages `libtimezonemap-data` and `tzdata`.
  package static let debian = PlaceTables(
    towns: "/usr/share/libtimezonemap/ui/cities15000.txt", regions: "/usr/share/libtimezonemap/ui/admin1Codes.txt",
    countries: "/usr/share/libtimezonemap/ui/countryInfo.txt", zones: "/usr/share/zoneinfo")

  /// The largest table in bytes; the table of all towns with 500 inhabitants has 40 MB.
  private static let mostBytes = 256 << 20

  /// These tables with the user's own table of towns; nil if the file is not such a table.
  package func with(towns file: FilePath) -> PlaceTables? {
    var tables = self
    tables.towns = file
    var status = stat()
    guard tables.gazetteer() != nil, (try? unsafe file.call { unsafe stat($0, &status) }) != nil else { return nil }
    tables.identity =
      Int64(status.st_mtim.tv_sec) &* 1_000_000_007 ^ Int64(status.st_mtim.tv_nsec) ^ Int64(status.st_size)
    return tables
  }

  /// Reads the table of towns; nil if it is missing or not such a table.
  package func gazetteer() -> Gazetteer? {
    guard let towns = try? Self.table(at: towns) else { return nil }
    let regions = try? WholeFile.read(regions, limit: Self.mostBytes)
    let countries = try? WholeFile.read(countries, limit: Self.mostBytes)
    return try? Gazetteer(towns: towns, regions: regions ?? [], countries: countries ?? [])
  }

  /// The bytes of a regular file. The user of another mount may choose the path, so opening must not block on a pipe
  /// or a device.
  private static func table(at path: FilePath) throws(Errno) -> [UInt8] {
    let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    guard try file.status().st_mode & S_IFMT == S_IFREG else { throw .invalidArgument }
    return try file.readToEnd(limit: mostBytes)
  }

  /// Whether a name is that of a zone.
  package func hasZone(_ name: String) -> Bool { rules(ofZone: name) != nil }

  /// Reads the rules of a zone; nil if the database does not have the name.
  func rules(ofZone name: String) -> ZoneRules? {
    var zones = zoneLibrary()
    return zones.rules(named: name)
  }

  /// The zones of the database, each read only when it is asked for.
  package func zoneLibrary() -> ZoneLibrary {
    let folder = zones
    return ZoneLibrary { name in try? WholeFile.read(folder + "/" + name, limit: 1 << 20) }
  }
}

/// The catalog's state in memory, guarded by the file system's lock.
struct CatalogState {
  /// The towns, once a merge needed them; nil inside if there is no table.
  private(set) var gazetteer: Gazetteer??
  /// As `gazetteer`, but also nil before the towns were needed.
  var towns: Gazetteer? {
    if let gazetteer { gazetteer } else { nil }
  }
  /// Whether a thread is reading the table of towns; other threads that need it wait.
  var isReadingPlaces = false
  /// The zones of places whose rules were read; nil inside if the database does not have the zone.
  private var zones: [String: ZoneRules?] = [:]
  /// Zones whose rules are kept, at most; the zone database has 600 names.
  private static let mostZones = 1024
  /// Zones of places whose rules must be read before their rows are merged again. They are read without the lock.
  private(set) var wantedZones: Set<String> = []
  /// How far all photos and videos were compared with the catalog.
  var filled: FillState = .notBegun
  /// How far photos were marked to be merged again after the user chose another table of towns or another home zone.
  var settled: FillState = .notBegun
  /// The name of the space's home zone; nil if it does not have one.
  var homeZone: String?
  /// Its rules; nil without a home zone, or if the zone database does not know it.
  var homeRules: ZoneRules?
  /// Whether the home zone was not committed yet.
  var isHomeZoneNew = false
  /// Whether the log already states that the zone database does not know it.
  var saidThatRulesLack = false
  /// The directory that is being matched. Only one is matched at a time, so that the newest result wins.
  var matching: InodeNumber?
  /// A directory with at least this many photos is large: matching 8,192 takes about 0.3 s.
  var largeDirectory = 8192
  /// Directories that were large when they were last matched.
  private(set) var largeDirectories: Set<InodeNumber> = []
  /// Large directories that are remembered at most; few vaults have more photos than these would hold.
  private static let mostLargeDirectories = 1024
  /// Whether one of the threads that make thumbnails runs a `CatalogJob`. Only one thread does, so that `filled` and
  /// `settled` advance step by step; the others make thumbnails.
  var isJobUnderWay = false
  /// Files that could not be examined during this mount.
  var passedOver: Set<InodeNumber> = []

  enum FillState: Equatable {
    case notBegun
    case after(InodeNumber?)
    case done

    var isUnderWay: Bool { if case .after = self { true } else { false } }
  }

  /// Whether long searches are abandoned.
  var abandonsSearches = false
  /// Whether background work on the catalog ends for this mount.
  var isGivenUp = false

  mutating func keep(_ gazetteer: Gazetteer?) {
    self.gazetteer = .some(gazetteer)
    isReadingPlaces = false
  }

  /// The rules of a place's zone, nil inside if the database does not have the zone; nil if they were not read yet,
  /// and then they are put on the list to read.
  mutating func rules(ofZone name: String) -> ZoneRules?? {
    if let known = zones[name] { return .some(known) }
    wantedZones.insert(name)
    return nil
  }

  /// Keeps the rules of zones.
  mutating func keep(_ rules: [String: ZoneRules?]) {
    // A table of towns may name any number of unknown zones.
    if zones.count + rules.count > Self.mostZones { zones = [:] }
    zones.merge(rules) { _, new in new }
    wantedZones.subtract(rules.keys)
  }

  mutating func note(_ directory: InodeNumber, photos: Int) {
    if photos < largeDirectory {
      largeDirectories.remove(directory)
    } else if largeDirectories.count < Self.mostLargeDirectories {
      largeDirectories.insert(directory)
    }
  }
}
