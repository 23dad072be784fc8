package import Vault

/// The facts about a file's content as a photo or video.
package struct MediaRecord: Hashable, Sendable {
  /// Whether the content was examined.
  package enum State: Int64, Sendable {
    /// It was written and must be examined.
    case pending = 0
    /// It is a photo or video, and has at least the small derivative.
    case known = 1
    /// It is a photo or video, but yields no derivative.
    case failed = 2
    /// It is neither a photo nor a video.
    case other = 3
    /// It was written under a name that begins with a dot. It is examined when it gets another name.
    case hidden = 4
  }

  /// The file.
  package var inode: InodeNumber
  /// Whether it was examined.
  package var state: State
  /// A keyed hash of the content.
  package var hash: [UInt8]?
  /// The format: the number of a `MediaKind` in the layer above; 0 if it is not known.
  package var kind: Int64 = 0
  /// Width in pixels, upright.
  package var width: Int64 = 0
  /// Height in pixels, upright.
  package var height: Int64 = 0
  /// The inode that holds the small JPEG; it has no name.
  package var small: InodeNumber?
  /// The inode that holds the large JPEG; it has no name.
  package var large: InodeNumber?
  /// The reason why a derivative, or the large one, is missing.
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
  /// Sets all counts to 0.
  package init() {}
}
