/// What a file says about itself. Everything except kind, size and orientation is nil if the file does not say it or
/// says something impossible.
package struct MediaFacts: Sendable, Equatable {
  /// Most bytes of a text, in UTF-8.
  package static let mostTextBytes = 128

  /// The format.
  package var kind: MediaKind
  /// Width in pixels of the upright picture.
  package var width: Int
  /// Height in pixels of the upright picture.
  package var height: Int
  /// How the stored pixels are turned, as EXIF counts it: 1 (upright) to 8.
  package var orientation: Int
  /// When it was taken, in seconds since 1970 UTC; without `captureOffsetMinutes`, the local time read as if it were
  /// UTC.
  package var captureSeconds: Int64?
  /// The time zone in minutes east of UTC; 0 for a video that records only UTC.
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

  /// Sets the facts that every medium has; the others are nil.
  package init(kind: MediaKind, width: Int, height: Int, orientation: Int = 1) {
    self.kind = kind
    self.width = width
    self.height = height
    self.orientation = orientation
  }
}
