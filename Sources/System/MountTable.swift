package import SystemPackage

/// One line of the kernel's table of mounts.
package struct MountTableEntry: Sendable, Equatable {
  /// Device number of the mounted file system, as in `stat`: major and minor.
  package var device: String
  /// The mounted directory of the file system: `/`, or another one of a bind mount.
  package var root: [UInt8] = [UInt8(ascii: "/")]
  /// The path at which it is mounted.
  package var path: [UInt8]
  /// Its type, such as `fuse.agonyfs`.
  package var type: String
  /// The source of the mount: for agonyfs, the path of the vault, unless the option `fsname` sets something else.
  package var source: [UInt8] = []
  /// The options of the file system itself, such as `user_id=1000`.
  package var options: [String]

  /// Whether it is a FUSE file system.
  package var isFuse: Bool { type == "fuse" || type.hasPrefix("fuse.") }

  /// Whether it has the type of agonyfs. The option `subtype` sets another one.
  package var isNamedOurs: Bool { type == "fuse.agonyfs" }

  /// The number after `name=` among the options.
  package func number(of name: String) -> UInt32? {
    let prefix = name + "="
    return options.first { $0.hasPrefix(prefix) }.flatMap { UInt32($0.dropFirst(prefix.count)) }
  }
}

/// The kernel's table of mounts, as this process sees it.
package struct MountTable: Sendable, Equatable {
  /// In the order of mounting. Of several at one path, the last one is visible.
  package var entries: [MountTableEntry]

  /// The file of the table. poll(2) reports its changes.
  package static let path = "/proc/self/mountinfo"

  /// Reads the current table; it is empty if there is no /proc.
  package static func current() -> MountTable {
    MountTable(parsing: (try? WholeFile.read(path)) ?? [])
  }

  /// The mount at an absolute path without symbolic links.
  package func entry(at path: [UInt8]) -> MountTableEntry? {
    entries.last { $0.path == path }
  }

  /// The mount at an absolute path without symbolic links.
  package func entry(at path: FilePath) -> MountTableEntry? { entry(at: path.bytes) }

  /// The paths at which a file system is mounted and not hidden by another mount. The latest is first, so a mount
  /// inside another one comes before that one.
  package func places(of device: String) -> [FilePath] {
    entries.reversed().compactMap { mounted in
      guard mounted.device == device, entry(at: mounted.path) == mounted else { return nil }
      return FilePath(bytes: mounted.path)
    }
  }

  /// Parses a `mountinfo` file. Unknown lines are left out.
  package init(parsing text: [UInt8]) {
    entries = text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " "))
      guard let dash = fields.firstIndex(where: { $0.elementsEqual([UInt8(ascii: "-")]) }),
        dash >= 6, fields.count > dash + 3
      else { return nil }
      return MountTableEntry(
        device: String(decoding: fields[2], as: UTF8.self),
        root: OctalText.unescaped(fields[3]),
        path: OctalText.unescaped(fields[4]),
        type: String(decoding: fields[dash + 1], as: UTF8.self),
        source: OctalText.unescaped(fields[dash + 2]),
        options: fields[dash + 3].split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) })
    }
  }
}
