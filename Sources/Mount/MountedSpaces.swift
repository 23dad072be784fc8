internal import Glibc
internal import System
internal import SystemPackage

/// A place where the caller's user has a space mounted now.
package struct MountedSpace: Sendable {
  /// Its absolute path.
  package let path: [UInt8]
  /// Whether all users, or root, may use it.
  package let allowsOthers: Bool

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
    }.map { MountedSpace(path: $0.path, allowsOthers: $0.options.contains("allow_other")) }
  }
}
