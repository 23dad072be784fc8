// The home zone of a space: a time known only in UTC is shown as a clock in this zone showed it.
//
// Invariants
// 1. The home zone is stored in `meta` of the space's index, and nowhere else. Only `changeHomeZone` replaces an
//    existing one.
// 2. A space without a home zone gets the machine's with the first commit of a mount, so a mount that changes nothing
//    writes nothing. The zone applies from the beginning of the mount.
// 3. After a change all rows whose time may depend on it are merged again, even if the program ends before that.
// 4. A row that was merged while the zone database did not know the home zone is merged again by a mount whose
//    database does.

package import Albums
internal import Catalog
internal import Index
internal import Logging
internal import System
package import SystemPackage
internal import Vault

extension FileSystem {
  /// The name of the home zone in the zone database; nil if the space does not have one.
  package var homeZone: String? { locked { $0.catalog.homeZone } }

  /// Sets the home zone. On return all photos whose time may depend on it are marked to be merged again.
  ///
  /// - Throws: `EINVAL` if the zone database does not have the zone; `ENOSPC`, `EROFS`.
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
  /// The key in `meta` that is 1 while photos may have times of another home zone.
  static let unsettledKey = "unsettled"

  /// Whether this machine's zone database does not know the home zone. The first call writes that to the log, without
  /// the zone's name.
  func lacksHomeRules() -> Bool {
    guard files.catalog.homeZone != nil, files.catalog.homeRules == nil else { return false }
    if !files.catalog.saidThatRulesLack {
      files.catalog.saidThatRulesLack = true
      files.logger.warning(
        "the zone database of this machine does not know the home zone: times known only in UTC are shown in UTC")
    }
    return true
  }

  /// Stores another home zone, and records that times may still follow the old one.
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

  /// Loads the space's home zone when the space is opened.
  mutating func loadHomeZone() {
    do throws(IndexError) {
      if let known = try files.index.homeZone() {
        files.catalog.homeZone = ZoneName.isValid(known) ? known : nil
      } else if files.refusal == nil, let zone = files.library.options.homeZone, ZoneName.isValid(zone) {
        files.catalog.homeZone = zone
        files.catalog.isHomeZoneNew = true
      }
    } catch {
      // A zone that cannot be read exists, and must not be replaced.
      return
    }
  }
}

extension Cataloguer {
  /// Reads the rules of the home zone that the space has when it is opened.
  func loadHomeRules() {
    guard let home = fileSystem.homeZone else { return }
    let rules = fileSystem.library.options.places.rules(ofZone: home)
    fileSystem.locked { $0.catalog.homeRules = rules }
  }
}
