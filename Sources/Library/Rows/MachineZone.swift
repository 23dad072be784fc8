// The time zone that this machine is set to, by its name in the zone database.

internal import Glibc
internal import System
internal import SystemPackage

/// The time zone of this machine.
package struct MachineZone {
  /// What `TZ` says; nil if it is not set.
  var variable: String?
  /// A symbolic link into the zone database.
  var link = "/etc/localtime"
  /// A file with the name in its first line.
  var file = "/etc/timezone"
  var tables = PlaceTables.debian

  /// This machine as the process sees it.
  package init() { variable = unsafe getenv("TZ").map { unsafe String(cString: $0) } }

  init(variable: String?, link: String, file: String) { (self.variable, self.link, self.file) = (variable, link, file) }

  /// The name of the zone; UTC where nothing names one.
  package var name: String {
    let line = (try? WholeFile.read(file, limit: 4096)).map { $0.prefix { $0 != UInt8(ascii: "\n") } } ?? []
    let candidates: [String?] = [
      variable.map(Self.named), target.map(Self.named), String(decoding: line, as: UTF8.self),
    ]
    return candidates.compactMap(\.self).first { tables.hasZone($0) } ?? "UTC"
  }

  /// Where the link leads.
  private var target: String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let path = link
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return -1 }
      return unsafe readlink(path, base, bytes.count)
    }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  /// The name in a path into the zone database, or as `TZ` has it: `:Europe/Paris`.
  private static func named(_ text: String) -> String {
    var name = text.hasPrefix(":") ? text.dropFirst() : text[...]
    if let folder = name.ranges(of: "/zoneinfo/").last { name = name[folder.upperBound...] }
    // The same zones, and such that count leap seconds.
    for folder in ["posix/", "right/"] where name.hasPrefix(folder) { name = name.dropFirst(folder.count) }
    return String(name)
  }
}
