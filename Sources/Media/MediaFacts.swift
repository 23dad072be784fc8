/// The picture from which derivatives were made. All other facts of the file are in `Derivatives.found`.
package struct MediaFacts: Sendable, Equatable {
  /// The format.
  package var kind: MediaKind
  /// Width in pixels of the upright picture.
  package var width: Int
  /// Height in pixels of the upright picture.
  package var height: Int
  /// The rotation of the stored pixels, as EXIF numbers it: 1 (upright) to 8.
  package var orientation: Int

  /// Takes all four.
  package init(kind: MediaKind, width: Int, height: Int, orientation: Int = 1) {
    self.kind = kind
    self.width = width
    self.height = height
    self.orientation = orientation
  }
}
