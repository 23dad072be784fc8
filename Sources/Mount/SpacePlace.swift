// Invariants
// 1. A place is found by its device number, so a path that leaves the mount by a symbolic link has no place.

internal import CMount
internal import Glibc
internal import System
package import SystemPackage

/// The place of a path in a mounted space.
package struct SpacePlace: Hashable, Sendable {
  /// The absolute path of the directory where the space's root is mounted.
  package let mountPoint: [UInt8]
  /// The path from the space's root, without a slash at either end; empty for the root.
  package let path: [UInt8]

  /// Finds the place of a path; symbolic links are followed. Nil if no space is mounted there, or only a part of one.
  ///
  /// - Throws: why the path cannot be resolved.
  package static func of(_ path: [UInt8]) throws(Errno) -> SpacePlace? {
    var status = stat()
    let name = path.map { CChar(bitPattern: $0) } + [0]
    try systemCall { unsafe stat(name, &status) }
    let resolved = try FilePath(bytes: path).withoutLinks().bytes
    let number = UInt64(status.st_dev)
    // The encoding of makedev(3).
    let major = (number >> 8 & 0xFFF) | (number >> 32 & ~0xFFF)
    let minor = (number & 0xFF) | (number >> 12 & ~0xFF)
    return find(resolved, device: "\(major):\(minor)", in: .current()) { place, entry in
      entry.type == "fuse.agonyfs"
        || DaemonQuestion.ask(.identity, of: FilePath(bytes: place), entry) != nil
    }
  }

  /// Finds the place of an absolute path without symbolic links on a device.
  static func find(
    _ path: [UInt8], device: String, in table: MountTable, isOurs: ([UInt8], MountTableEntry) -> Bool
  ) -> SpacePlace? {
    let slash = UInt8(ascii: "/")
    // Of the mounts with the longest path, the last one is visible.
    var best: (entry: MountTableEntry, rest: [UInt8])?
    for entry in table.entries {
      guard let rest = MountTable.rest(of: path, below: entry.path), rest.count <= best?.rest.count ?? .max else {
        continue
      }
      best = (entry, rest)
    }
    guard let best, best.entry.device == device, best.entry.isFuse else { return nil }
    let whole = ([best.entry] + table.entries.reversed()).first { entry in
      entry.device == device && entry.root == [slash] && table.entry(at: entry.path) == entry
    }
    guard let whole, isOurs(whole.path, whole) else { return nil }
    let inside = (best.entry.root + best.rest).split(separator: slash).joined(separator: [slash])
    return SpacePlace(mountPoint: whole.path, path: Array(inside))
  }

  /// The path of the vault that a space is mounted from, by the table of mounts; nil if the table does not name it.
  package static func vault(mountedAt path: [UInt8]) -> FilePath? {
    guard let entry = MountTable.current().entry(at: path), entry.source.first == UInt8(ascii: "/") else { return nil }
    return FilePath(bytes: entry.source)
  }

  /// The mount points of spaces of a vault, by the table of mounts.
  package static func places(ofVault path: FilePath) -> [FilePath] {
    let table = MountTable.current()
    let vault = path.bytes
    return table.entries.compactMap { entry in
      // The user of a mount chooses its type and source, so only this user's own mounts count.
      guard entry.type == "fuse.agonyfs", entry.source == vault, entry.root == [UInt8(ascii: "/")],
        entry.number(of: "user_id") == geteuid(), table.entry(at: entry.path) == entry
      else { return nil }
      return FilePath(bytes: entry.path)
    }
  }
}
