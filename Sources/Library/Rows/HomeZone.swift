// The home zone of a space: what the clock there shows is shown of times that are known in UTC alone.
//
// Invariants
// 1. It is in `meta` of the space's index, and nowhere else. Only `changeHomeZone` replaces one that is there.
// 2. A space that has none gets the machine's with the first commit of a mount, so a mount that changes nothing writes
//    nothing. From when the mount begins it counts all the same.
// 3. After a change all rows whose time it may concern are merged again, also if the program ends meanwhile.
// 4. A row that was merged where the zone database does not know the home zone is merged again by a mount where it does.

package import Albums
internal import Catalog
internal import Index
internal import Logging
internal import System
package import SystemPackage
internal import Vault

extension FileSystem {
  /// The name of the home zone in the zone database; nil if the space has none.
  package var homeZone: String? { locked { $0.catalog.homeZone } }

  /// Makes a zone the home zone. On return all photos whose time it may concern are noted to be looked at again.
  ///
  /// - Throws: `EINVAL` for what is no zone of the zone database; `ENOSPC`, `EROFS`.
  package func changeHomeZone(to name: String) throws(Errno) {
    guard let rules = library.options.places.rules(ofZone: name) else { throw .invalidArgument }
    try changing { files throws(ChangeError) in
      if files.catalog.homeZone == name, !files.catalog.isHomeZoneNew { return }
      try files.requireRoom()
      try ChangeError.result(of: files.catalogUpdates.setHomeZone(to: name, rules))
    }
    while locked({ $0.catalog.settled.isUnderWay }) {
      try locked { files throws(Errno) in try files.catalogUpdates.settleAgain() }
    }
    locked { $0.signals[.sinkWork].signal() }
  }
}

extension CatalogUpdates {
  /// The key in `meta` of 1 where photos may have the time of another home zone.
  static let unsettledKey = "unsettled"

  /// Whether the zone database here does not know the home zone. The first time the log says so, without its name.
  func lacksHomeRules() -> Bool {
    guard files.catalog.homeZone != nil, files.catalog.homeRules == nil else { return false }
    if !files.catalog.saidThatRulesLack {
      files.catalog.saidThatRulesLack = true
      files.logger.warning(
        "the zone database of this machine does not know the home zone: times known in UTC alone are shown in UTC")
    }
    return true
  }

  /// Stores another home zone, and notes that times may follow the old one.
  fileprivate func setHomeZone(to name: String, _ rules: ZoneRules) throws(Errno) {
    try files.withSavepoint { index throws(IndexError) in
      try index.setHomeZone(to: name)
      if index.hasCatalog, try index.catalog.itemCount() > 0 { try index.setMeta(Self.unsettledKey, to: 1) }
    }
    files.catalog.homeZone = name
    files.catalog.homeRules = rules
    files.catalog.isHomeZoneNew = false
    files.catalog.settled = .after(nil)
  }

  /// Finds the name of the home zone of the space when it is opened.
  mutating func loadHomeZone() {
    do throws(IndexError) {
      if let known = try files.index.homeZone() {
        files.catalog.homeZone = ZoneName.isValid(known) ? known : nil
      } else if files.refusal == nil, let zone = files.library.options.homeZone, ZoneName.isValid(zone) {
        files.catalog.homeZone = zone
        files.catalog.isHomeZoneNew = true
      }
    } catch {
      // One that cannot be read is there, and is not replaced.
      return
    }
  }
}

extension Cataloguer {
  /// Reads the rules of the home zone that the space was opened with.
  func loadHomeRules() {
    guard let home = fileSystem.homeZone else { return }
    let rules = fileSystem.library.options.places.rules(ofZone: home)
    fileSystem.locked { $0.catalog.homeRules = rules }
  }
}
