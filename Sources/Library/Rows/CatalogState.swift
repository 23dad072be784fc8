// What the catalog keeps in memory.

package import Catalog
internal import Glibc
internal import System
package import SystemPackage
internal import Vault

/// The tables of places and zones that a file system uses.
package struct PlaceTables: Sendable {
  /// A table of towns in GeoNames' format, and those of regions and countries beside it.
  package var towns: FilePath
  package var regions: String
  package var countries: String
  /// Tells the user's own table of towns from another one; nil for Debian's, which changes no place that a photo has.
  package var identity: Int64?
  /// The directory of the zone database.
  package var zones: String

  /// Those of Debian's packages `libtimezonemap-data` and `tzdata`.
  package static let debian = PlaceTables(
    towns: "/usr/share/libtimezonemap/ui/cities15000.txt", regions: "/usr/share/libtimezonemap/ui/admin1Codes.txt",
    countries: "/usr/share/libtimezonemap/ui/countryInfo.txt", zones: "/usr/share/zoneinfo")

  /// Largest table in bytes; all towns of the world with 500 people have 40 MB.
  private static let mostBytes = 256 << 20

  /// The same with the user's own table of towns; nil if it is none.
  package func with(towns file: FilePath) -> PlaceTables? {
    var tables = self
    tables.towns = file
    var status = stat()
    guard tables.gazetteer() != nil, (try? unsafe file.call { unsafe stat($0, &status) }) != nil else { return nil }
    tables.identity =
      Int64(status.st_mtim.tv_sec) &* 1_000_000_007 ^ Int64(status.st_mtim.tv_nsec) ^ Int64(status.st_size)
    return tables
  }

  /// Reads the table of towns; nil if it is not there or none.
  package func gazetteer() -> Gazetteer? {
    guard let towns = try? Self.table(at: towns) else { return nil }
    let regions = try? WholeFile.read(regions, limit: Self.mostBytes)
    let countries = try? WholeFile.read(countries, limit: Self.mostBytes)
    return try? Gazetteer(towns: towns, regions: regions ?? [], countries: countries ?? [])
  }

  /// The bytes of a regular file. The path may be what the mount of another user says: nothing else is waited for.
  private static func table(at path: FilePath) throws(Errno) -> [UInt8] {
    let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    guard try file.status().st_mode & S_IFMT == S_IFREG else { throw .invalidArgument }
    return try file.readToEnd(limit: mostBytes)
  }

  /// Whether a name is that of a zone.
  package func hasZone(_ name: String) -> Bool { rules(ofZone: name) != nil }

  /// Reads the rules of a zone; nil if there is none of that name.
  func rules(ofZone name: String) -> ZoneRules? {
    var zones = zoneLibrary()
    return zones.rules(named: name)
  }

  /// The zones of its database, none of which is read before it is asked for.
  package func zoneLibrary() -> ZoneLibrary {
    let folder = zones
    return ZoneLibrary { name in try? WholeFile.read(folder + "/" + name, limit: 1 << 20) }
  }
}

/// What the catalog keeps in memory, under the file system's lock.
struct CatalogState {
  /// The towns, once they were needed; nil inside if there is no table.
  private(set) var gazetteer: Gazetteer??
  /// The same; nil as well before they were needed.
  var towns: Gazetteer? {
    if let gazetteer { gazetteer } else { nil }
  }
  /// Whether a thread reads the table of towns; whoever else needs it waits for that.
  var isReadingPlaces = false
  /// The rules of the zones of places, as far as they were read; nil inside for what is no zone.
  private var zones: [String: ZoneRules?] = [:]
  /// Most zones whose rules are kept; the zone database has 600 names.
  private static let mostZones = 1024
  /// Zones of places whose rules are to be read before their rows are merged again. They are read without the lock.
  private(set) var wantedZones: Set<String> = []
  /// How far all photos and videos were compared with the catalog; nil when that is done.
  var filled: FillState = .notBegun
  /// How far photos were noted to be merged again, since the user chose another table of towns or another home zone.
  var settled: FillState = .notBegun
  /// The name of the space's home zone; nil if it has none.
  var homeZone: String?
  /// Its rules; nil if it has none, or the zone database does not know it.
  var homeRules: ZoneRules?
  /// Whether no commit has it.
  var isHomeZoneNew = false
  /// Whether the log says that the zone database does not know it.
  var saidThatRulesLack = false
  /// The directory that is being matched; one at a time, so that what was found last stays.
  var matching: InodeNumber?
  /// Photos of a directory from which on it is large: matching 8,192 takes some 0.3 s.
  var largeDirectory = 8192
  /// Directories that were large when they were matched last.
  private(set) var largeDirectories: Set<InodeNumber> = []
  /// Large directories that are remembered at most; more photos than theirs are in few vaults.
  private static let mostLargeDirectories = 1024
  /// Whether one of the threads that make thumbnails does a `CatalogJob`. One does at a time, so that `filled` and `settled`
  /// go on step by step; the others make thumbnails meanwhile.
  var isJobUnderWay = false
  /// Files that could not be asked at this mount.
  var passedOver: Set<InodeNumber> = []

  enum FillState: Equatable {
    case notBegun
    case after(InodeNumber?)
    case done

    var isUnderWay: Bool { if case .after = self { true } else { false } }
  }

  /// Whether searches that take long are given up.
  var abandonsSearches = false
  /// Whether nothing more is done in the background at this mount.
  var isGivenUp = false

  mutating func keep(_ gazetteer: Gazetteer?) {
    self.gazetteer = .some(gazetteer)
    isReadingPlaces = false
  }

  /// The rules of the zone of a place, nil inside for what is no zone; nil if they were not read, and they are then wanted.
  mutating func rules(ofZone name: String) -> ZoneRules?? {
    if let known = zones[name] { return .some(known) }
    wantedZones.insert(name)
    return nil
  }

  /// Keeps what was read of zones.
  mutating func keep(_ rules: [String: ZoneRules?]) {
    // A table of towns may name any number of zones that are none.
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
