internal import Glibc
internal import System
internal import SystemPackage

/// A place where the caller's user has a space mounted now.
package struct MountedSpace: Sendable {
  /// Its absolute path.
  package let path: [UInt8]
  /// Whether all users, or root, may use it.
  package let allowsOthers: Bool
  /// The absolute path of its vault; nil if the table of mounts does not tell it.
  package let vault: [UInt8]?

  /// All of them that are not hidden by another mount, in this mount namespace.
  package static func all() -> [MountedSpace] {
    let table = MountTable.current()
    return table.entries.filter { entry in
      guard entry.isFuse, entry.number(of: "user_id") == geteuid(), table.entry(at: entry.path) == entry else {
        return false
      }
      if entry.isNamedOurs { return true }
      // Of one with another name only its process knows.
      return DaemonQuestion.ask(.identity, of: FilePath(bytes: entry.path), entry) != nil
    }.map { entry in
      MountedSpace(
        path: entry.path, allowsOthers: entry.options.contains("allow_other"),
        vault: entry.source.first == UInt8(ascii: "/") ? entry.source : nil)
    }
  }
}
