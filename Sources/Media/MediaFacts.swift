/// What is known of a picture that derivatives were made of. All else that a file says is in `Derivatives.found`.
package struct MediaFacts: Sendable, Equatable {
  /// The format.
  package var kind: MediaKind
  /// Width in pixels of the upright picture.
  package var width: Int
  /// Height in pixels of the upright picture.
  package var height: Int
  /// How the stored pixels are turned, as EXIF counts it: 1 (upright) to 8.
  package var orientation: Int

  /// Takes all four.
  package init(kind: MediaKind, width: Int, height: Int, orientation: Int = 1) {
    self.kind = kind
    self.width = width
    self.height = height
    self.orientation = orientation
  }
}
