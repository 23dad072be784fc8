/// How photos are looked at and asked for.
package struct LibraryOptions: Sendable {
  /// How thumbnails are made; nil where they are not.
  package var thumbnails: ThumbnailOptions?
  /// Where the names of places come from.
  package var places = PlaceTables.debian
  /// The home zone of a space that has none, by its name in the zone database.
  package var homeZone: String?
  /// Sentences for the person about the vault, which the status shows.
  package var notices: [String] = []

  /// The usual settings, without thumbnails.
  package init() {}
}
