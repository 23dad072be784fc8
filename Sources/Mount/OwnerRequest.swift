internal import CPlatform
internal import Glibc
internal import Library
internal import System
package import SystemPackage

/// What the owner of a mount may ask of it, by the extended attribute of `.agonyfs`.
package enum OwnerRequest: String, Sendable {
  /// When it ends, to give back what was deleted.
  case giveBack = "give-back"
  /// Not to do that.
  case keepDeleted = "keep-deleted"
  /// To make all thumbnails again.
  case rebuild
  /// To write now what was done, into the index.
  case write

  /// Sends it to the mount at a path, and waits until it is done.
  ///
  /// - Throws: `EINVAL` from an older program; `EPERM`, `EROFS`; what the mount answers.
  package func send(to place: FilePath) throws(Errno) { try Self.send(rawValue, to: place) }

  /// Has the mount at a path make a zone the home zone of its space.
  ///
  /// - Throws: as `send`; `EINVAL` also for what is no zone.
  package static func changeHomeZone(to zone: String, at place: FilePath) throws(Errno) {
    try send("zone " + zone, to: place)
  }

  private static func send(_ text: String, to place: FilePath) throws(Errno) {
    try unsafe place.appending(".agonyfs").call {
      unsafe setxattr($0, VirtualTree.requestName, text, text.utf8.count, 0)
    }
  }
}
