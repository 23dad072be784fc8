package import Vault

/// What is known of a file's content as a photo or video.
package struct MediaRecord: Hashable, Sendable {
  /// How far a content has been looked at.
  package enum State: Int64, Sendable {
    /// It was written, and is to be looked at.
    case pending = 0
    /// It is a photo or video, and has at least the small derivative.
    case known = 1
    /// It is one, but no derivative can be made of it.
    case failed = 2
    /// It is none.
    case other = 3
    /// It was written under a name that begins with a dot, so it is not looked at until it has another.
    case hidden = 4
  }

  /// What a photo or video says of itself. Every field may be missing.
  package struct Facts: Hashable, Sendable {
    /// The format, as `MediaKind` in the layer above numbers it.
    package var kind: Int64 = 0
    /// Width in pixels, upright.
    package var width: Int64 = 0
    /// Height in pixels, upright.
    package var height: Int64 = 0
    /// Orientation as in EXIF, 1 to 8.
    package var orientation: Int64 = 1
    /// When it was taken: seconds since 1970, of local time where no zone is known.
    package var captured: Int64?
    /// Minutes by which local time was ahead of UTC.
    package var offset: Int64?
    /// Degrees north, in units of 10⁻⁷.
    package var latitude: Int64?
    /// Degrees east, in units of 10⁻⁷.
    package var longitude: Int64?
    /// Who made the camera.
    package var make: String?
    /// Which camera.
    package var model: String?
    /// Length of a video in milliseconds.
    package var duration: Int64?
    /// How a video is encoded.
    package var codec: String?

    /// Nothing known.
    package init() {}
  }

  /// Which file.
  package var inode: InodeNumber
  /// How far it has been looked at.
  package var state: State
  /// A keyed hash of the content.
  package var hash: [UInt8]?
  /// What it says of itself.
  package var facts = Facts()
  /// The inode that holds the small JPEG; it has no name.
  package var small: InodeNumber?
  /// The inode that holds the large JPEG; it has no name.
  package var large: InodeNumber?
  /// Why there is no derivative, or no large one.
  package var reason: String?

  /// Nothing is known but the state.
  package init(inode: InodeNumber, state: State) {
    self.inode = inode
    self.state = state
  }
}

/// How many files are in which state.
package struct MediaCounts: Hashable, Sendable {
  /// Files that wait.
  package var pending: Int64 = 0
  /// Photos and videos with derivatives.
  package var known: Int64 = 0
  /// Photos and videos of which none can be made.
  package var failed: Int64 = 0
  /// Other files.
  package var other: Int64 = 0
  /// Files under names that begin with a dot.
  package var hidden: Int64 = 0
  /// None.
  package init() {}
}
