// Marks and a time that the library keeps in an inode in memory, in fields that the file system reserves for it. They
// are not stored, so they have their initial values when the inode is loaded again.

package import Albums

/// The inode of a file system in memory; SystemPackage has another type of this name.
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
  /// Whether the index says that the content must still be looked at.
  var isMediaPending: Bool {
    get { has(.mediaPending) }
    set { mark(.mediaPending, newValue) }
  }

  /// Whether its first bytes are known not to be those of a photo or video.
  var isKnownNotMedia: Bool {
    get { has(.knownNotMedia) }
    set { mark(.knownNotMedia, newValue) }
  }

  /// Whether the name by which it was last found is one that no photo has.
  var isHidden: Bool {
    get { has(.hidden) }
    set { mark(.hidden, newValue) }
  }

  /// Whether the name by which it was last found is that of a sidecar; nil if it was not found by a name, because the
  /// kernel may know names from listings.
  var isSidecar: Bool? {
    get { has(.sidecarKnown) ? has(.sidecar) : nil }
    set {
      mark(.sidecarKnown, newValue != nil)
      mark(.sidecar, newValue == true)
    }
  }

  /// Whether the catalog already has a mark to read this sidecar.
  var isReadPending: Bool {
    get { has(.readPending) }
    set { mark(.readPending, newValue) }
  }

  /// The time of the content's last change, on the monotonic clock; 0 if it has not changed since the inode was
  /// loaded.
  var contentChanged: UInt64 {
    get { sinkTime }
    set { sinkTime = newValue }
  }

  private func has(_ mark: PhotoMark) -> Bool { sinkMarks & mark.rawValue != 0 }

  private func mark(_ mark: PhotoMark, _ isSet: Bool) {
    if isSet { sinkMarks |= mark.rawValue } else { sinkMarks &= ~mark.rawValue }
  }
}
