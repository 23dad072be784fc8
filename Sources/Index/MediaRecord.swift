package import Vault

/// What is known about a file's content as a photo or video.
package struct MediaRecord: Hashable, Sendable {
  /// Whether the content was examined.
  package enum State: Int64, Sendable {
    /// It was written and is to be examined.
    case pending = 0
    /// It is a photo or video, and has at least the small derivative.
    case known = 1
    /// It is a photo or video, but no derivative can be made of it.
    case failed = 2
    /// It is neither a photo nor a video.
    case other = 3
    /// It was written under a name that begins with a dot. It is examined when it gets another name.
    case hidden = 4
  }

  /// The metadata of a photo or video. Every field may be missing.
  package struct Facts: Hashable, Sendable {
    /// The format: the number of a `MediaKind` in the layer above.
    package var kind: Int64 = 0
    /// Width in pixels, upright.
    package var width: Int64 = 0
    /// Height in pixels, upright.
    package var height: Int64 = 0
    /// Orientation as in EXIF, 1 to 8.
    package var orientation: Int64 = 1
    /// When it was taken: seconds since 1970, in local time if the zone is unknown.
    package var captured: Int64?
    /// Minutes by which local time was ahead of UTC.
    package var offset: Int64?
    /// Degrees north, in units of 10⁻⁷.
    package var latitude: Int64?
    /// Degrees east, in units of 10⁻⁷.
    package var longitude: Int64?
    /// The maker of the camera.
    package var make: String?
    /// The model of the camera.
    package var model: String?
    /// Length of a video in milliseconds.
    package var duration: Int64?
    /// The codec of a video.
    package var codec: String?

    /// Nothing known.
    package init() {}
  }

  /// The file.
  package var inode: InodeNumber
  /// Whether it was examined.
  package var state: State
  /// A keyed hash of the content.
  package var hash: [UInt8]?
  /// Its metadata.
  package var facts = Facts()
  /// The inode that holds the small JPEG; it has no name.
  package var small: InodeNumber?
  /// The inode that holds the large JPEG; it has no name.
  package var large: InodeNumber?
  /// Why there is no derivative, or no large one.
  package var reason: String?

  /// A record without metadata.
  package init(inode: InodeNumber, state: State) {
    self.inode = inode
    self.state = state
  }
}

/// The number of files in each state.
package struct MediaCounts: Hashable, Sendable {
  /// Files that wait to be examined.
  package var pending: Int64 = 0
  /// Photos and videos with derivatives.
  package var known: Int64 = 0
  /// Photos and videos without derivatives.
  package var failed: Int64 = 0
  /// Other files.
  package var other: Int64 = 0
  /// Files under names that begin with a dot.
  package var hidden: Int64 = 0
  /// None.
  package init() {}
}
