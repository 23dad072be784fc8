// What is kept of an inode for photos while it is in memory: marks and a time, for which the file system has room.
// Nothing of it is stored, so all of it is as it begins when the inode comes back into memory.

package import Albums

/// Of a file system in memory; SystemPackage has another type of this name.
package typealias Inode = Albums.Inode

/// The bits of `Inode.sinkMarks`.
private enum PhotoMark: UInt8 {
  case mediaPending = 0b1
  case knownNotMedia = 0b10
  case hidden = 0b100
  case sidecarKnown = 0b1000
  case sidecar = 0b1_0000
  case readPending = 0b10_0000
}

extension Inode {
  /// Whether the index says that thumbnails of the content are still to be made.
  var isMediaPending: Bool {
    get { has(.mediaPending) }
    set { mark(.mediaPending, newValue) }
  }

  /// Whether its first bytes are known not to be those of a photo or video.
  var isKnownNotMedia: Bool {
    get { has(.knownNotMedia) }
    set { mark(.knownNotMedia, newValue) }
  }

  /// Whether the name that it was found by last is none of a photo.
  var isHidden: Bool {
    get { has(.hidden) }
    set { mark(.hidden, newValue) }
  }

  /// Whether the name that it was found by last is that of a sidecar; nil if it was not found by a name, as the kernel may
  /// know names from listings.
  var isSidecar: Bool? {
    get { has(.sidecarKnown) ? has(.sidecar) : nil }
    set {
      mark(.sidecarKnown, newValue != nil)
      mark(.sidecar, newValue == true)
    }
  }

  /// Whether the catalog notes already that this sidecar is to be read.
  var isReadPending: Bool {
    get { has(.readPending) }
    set { mark(.readPending, newValue) }
  }

  /// When the content changed last, on the monotonic clock; 0 if not since the inode is in memory.
  var contentChanged: UInt64 {
    get { sinkTime }
    set { sinkTime = newValue }
  }

  private func has(_ mark: PhotoMark) -> Bool { sinkMarks & mark.rawValue != 0 }

  private func mark(_ mark: PhotoMark, _ isSet: Bool) {
    if isSet { sinkMarks |= mark.rawValue } else { sinkMarks &= ~mark.rawValue }
  }
}
