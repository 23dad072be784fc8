internal import CPlatform
internal import Glibc
internal import Library
internal import System
package import SystemPackage

/// A request that only the owner of a mount may make, through the extended attribute of `.agonyfs`.
package enum OwnerRequest: String, Sendable {
  /// Free the room of deleted files when the mount ends.
  case giveBack = "give-back"
  /// Withdraw `giveBack`.
  case keepDeleted = "keep-deleted"
  /// Make all thumbnails again.
  case rebuild
  /// Write all changes into the index now.
  case write

  /// Sends the request to the mount at a path, and waits until it is done.
  ///
  /// - Throws: `EINVAL` from an older program; `EPERM`, `EROFS`; other errors of the mount.
  package func send(to place: FilePath) throws(Errno) { try Self.send(rawValue, to: place) }

  /// Asks the mount at a path to change the home zone of its space.
  ///
  /// - Throws: as `send`; `EINVAL` also if it is not a zone.
  package static func changeHomeZone(to zone: String, at place: FilePath) throws(Errno) {
    try send("zone " + zone, to: place)
  }

  private static func send(_ text: String, to place: FilePath) throws(Errno) {
    try unsafe place.appending(".agonyfs").call {
      unsafe setxattr($0, VirtualTree.requestName, text, text.utf8.count, 0)
    }
  }
}
