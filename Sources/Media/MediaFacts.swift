/// What a file says about itself. Everything but the kind, the size and the orientation is nil where the file does not
/// say it, or says what cannot be.
package struct MediaFacts: Sendable, Equatable {
  /// Bytes of UTF-8 that a text here has at most.
  package static let mostTextBytes = 128

  /// The format.
  package var kind: MediaKind
  /// Width in pixels of the upright picture.
  package var width: Int
  /// Height in pixels of the upright picture.
  package var height: Int
  /// How the stored pixels are turned, as EXIF counts it: 1 (upright) to 8.
  package var orientation: Int
  /// When it was taken: seconds since 1970 UTC; with no `captureOffsetMinutes`, the local time read as if it were UTC.
  package var captureSeconds: Int64?
  /// The zone where it was taken, in minutes east of UTC; 0 for a video that tells UTC only.
  package var captureOffsetMinutes: Int?
  /// Degrees north, −90 to 90.
  package var latitude: Double?
  /// Degrees east, −180 to 180.
  package var longitude: Double?
  /// The camera's maker; at most `mostTextBytes` long, like the other texts.
  package var cameraMake: String?
  /// The camera's model.
  package var cameraModel: String?
  /// How long a video is, in seconds.
  package var duration: Double?
  /// A video's codec, by libavcodec's short name.
  package var codec: String?

  /// The facts that every medium has; the others are nil.
  package init(kind: MediaKind, width: Int, height: Int, orientation: Int = 1) {
    self.kind = kind
    self.width = width
    self.height = height
    self.orientation = orientation
  }
}
