internal import Glibc
internal import System
internal import SystemPackage

/// A space that the calling user has mounted.
package struct MountedSpace: Sendable {
  /// The absolute path of the mount point.
  package let path: [UInt8]
  /// Whether all users, or root, may use it.
  package let allowsOthers: Bool
  /// The absolute path of its vault; nil if the table of mounts does not name it.
  package let vault: [UInt8]?

  /// All such mounts in this mount namespace that no other mount hides.
  package static func all() -> [MountedSpace] {
    let table = MountTable.current()
    return table.entries.filter { entry in
      guard entry.isFuse, entry.number(of: "user_id") == geteuid(), table.entry(at: entry.path) == entry else {
        return false
      }
      if entry.isNamedOurs { return true }
      // With another name, only the serving process knows whether it is an agonyfs mount.
      return DaemonQuestion.ask(.identity, of: FilePath(bytes: entry.path), entry) != nil
    }.map { entry in
      MountedSpace(
        path: entry.path, allowsOthers: entry.options.contains("allow_other"),
        vault: entry.source.first == UInt8(ascii: "/") ? entry.source : nil)
    }
  }
}
