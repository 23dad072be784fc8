internal import System

/// Mount points of file systems, for code that changes the mounts that a process sees.
package enum MountedPlaces {
  /// The absolute paths of mount points below a directory, without those that lie below another of them.
  package static func below(_ directory: [UInt8]) -> [[UInt8]] { below(directory, in: .current()) }

  static func below(_ directory: [UInt8], in table: MountTable) -> [[UInt8]] {
    let slash = UInt8(ascii: "/")
    func isBelow(_ path: [UInt8], _ other: [UInt8]) -> Bool { path.starts(with: other + [slash]) }
    let below = Set(table.entries.map(\.path).filter { isBelow($0, directory) })
    return below.filter { path in !below.contains { isBelow(path, $0) } }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Whether no file system is mounted at an absolute path without symbolic links, and no space above it.
  package static func isBare(_ path: [UInt8]) -> Bool {
    !MountTable.current().entries.contains { entry in
      entry.path == path || entry.isNamedOurs && MountTable.rest(of: path, below: entry.path) != nil
    }
  }

  /// The mount points of the spaces in a table in the form of `/etc/fstab`.
  package static func inTable(_ text: [UInt8]) -> [[UInt8]] {
    text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard fields.count > 2, fields[0].first != UInt8(ascii: "#"),
        ["agonyfs", "fuse.agonyfs"].contains(String(decoding: fields[2], as: UTF8.self))
      else { return nil }
      return OctalText.unescaped(fields[1])
    }
  }
}
