/// How photos are examined and how questions about them are answered.
package struct LibraryOptions: Sendable {
  /// How thumbnails are made; nil if none are made.
  package var thumbnails: ThumbnailOptions?
  /// The tables that give the names of places.
  package var places = PlaceTables.debian
  /// The home zone for a space that has none yet, by its name in the zone database.
  package var homeZone: String?
  /// Sentences about the vault for the user, shown in the status.
  package var notices: [String] = []

  /// The usual settings, without thumbnails.
  package init() {}
}
