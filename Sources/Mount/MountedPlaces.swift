/// Where file systems are mounted, for those who change what a process sees.
package enum MountedPlaces {
  /// The absolute paths below a directory at which something is mounted, without those below another of them.
  package static func below(_ directory: [UInt8]) -> [[UInt8]] { below(directory, in: .current()) }

  static func below(_ directory: [UInt8], in table: MountTable) -> [[UInt8]] {
    let slash = UInt8(ascii: "/")
    func isBelow(_ path: [UInt8], _ other: [UInt8]) -> Bool { path.starts(with: other + [slash]) }
    let below = Set(table.entries.map(\.path).filter { isBelow($0, directory) })
    return below.filter { path in !below.contains { isBelow(path, $0) } }.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
