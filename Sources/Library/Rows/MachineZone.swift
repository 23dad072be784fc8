// Finds the time zone of this machine, by its name in the zone database.

internal import Glibc
internal import System
internal import SystemPackage

/// The time zone of this machine.
package struct MachineZone {
  /// The value of `TZ`; nil if it is not set.
  var variable: String?
  /// A symbolic link into the zone database.
  var link = "/etc/localtime"
  /// A file with the name of the zone in its first line.
  var file = "/etc/timezone"
  var tables = PlaceTables.debian

  /// The zone settings as this process sees them.
  package init() { variable = unsafe getenv("TZ").map { unsafe String(cString: $0) } }

  init(variable: String?, link: String, file: String) { (self.variable, self.link, self.file) = (variable, link, file) }

  /// The name of the zone; UTC if none of the settings names one.
  package var name: String {
    let line = (try? WholeFile.read(file, limit: 4096)).map { $0.prefix { $0 != UInt8(ascii: "\n") } } ?? []
    let candidates: [String?] = [
      variable.map(Self.named), target.map(Self.named), String(decoding: line, as: UTF8.self),
    ]
    return candidates.compactMap(\.self).first { tables.hasZone($0) } ?? "UTC"
  }

  /// The target of the link.
  private var target: String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let path = link
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return -1 }
      return unsafe readlink(path, base, bytes.count)
    }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  /// The zone's name from a path into the zone database, or from a value of `TZ` such as `:Europe/Paris`.
  private static func named(_ text: String) -> String {
    var name = text.hasPrefix(":") ? text.dropFirst() : text[...]
    if let folder = name.ranges(of: "/zoneinfo/").last { name = name[folder.upperBound...] }
    // Directories with the same zones, without and with leap seconds.
    for folder in ["posix/", "right/"] where name.hasPrefix(folder) { name = name.dropFirst(folder.count) }
    return String(name)
  }
}
