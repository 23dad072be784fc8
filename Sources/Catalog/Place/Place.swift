/// A town with its region, country and time zone.
package struct Place: Hashable, Sendable {
  /// GeoNames' number, which is also stored.
  package var id: UInt32
  package var town: String
  /// The first administrative division; empty if there is none.
  package var region: String
  /// Two letters from ISO 3166.
  package var countryCode: String
  /// In English; the code if the table lacks the name.
  package var country: String
  /// A name from the zone database, like Europe/Paris; empty if unknown.
  package var zone: String
  /// Takes all of it.
  package init(id: UInt32, town: String, region: String, countryCode: String, country: String, zone: String) {
    self.id = id
    self.town = town
    self.region = region
    self.countryCode = countryCode
    self.country = country
    self.zone = zone
  }
}
