// Names for Windows and exFAT.
//
// Invariants
// 1. A name that is allowed there stays, and no two folders are merged.
// 2. All files of a group get the same number, so that a sidecar stays with its photo.

internal import HostFiles

extension ExportPlan {
  /// The paths at the destination whose last name Windows or exFAT does not allow, each once.
  package var refusedPaths: [[UInt8]] {
    var seen: Set<[[UInt8]]> = []
    var found: [[UInt8]] = []
    for item in items where item.failure == nil {
      let parts = item.parts
      for (index, name) in parts.enumerated() where !PortableName.isOne(name) {
        let path = Array(parts[...index])
        if seen.insert(path).inserted { found.append(Array(path.joined(separator: [0x2F]))) }
      }
    }
    return found
  }

  /// Gives every item a name that Windows and exFAT allow.
  package mutating func makePortable() {
    var names = ZipNames()
    let folders = portableFolders(&names)
    var groups: [[[UInt8]]: [Int]] = [:]
    for (index, item) in items.enumerated() where item.failure == nil {
      var folder = item.parts
      if item.isDirectory {
        setPortable(folders[folder], at: index)
        continue
      }
      guard let name = folder.popLast() else { continue }
      let path = (folders[folder] ?? folder) + [name]
      if PortableName.isOne(name) {
        setPortable(path, at: index)
        _ = names.insert(Self.path(path))
      } else {
        groups[folder + [Self.stem(of: name)], default: []].append(index)
      }
    }
    for (_, members) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
      let paths = members.map { index -> (folder: [[UInt8]], name: [UInt8]) in
        var folder = items[index].parts
        let name = folder.popLast() ?? []
        return (folders[folder] ?? folder, name)
      }
      var number = 1
      func numbered(_ path: (folder: [[UInt8]], name: [UInt8])) -> [[UInt8]] {
        let stem = Self.stem(of: path.name)
        let name = FreeNames.name(stem, number: number) + path.name[stem.count...]
        return path.folder + [PortableName.of(name)]
      }
      while number < FreeNames.most, paths.contains(where: { names.contains(Self.path(numbered($0))) }) { number += 1 }
      for (index, path) in zip(members, paths) {
        let portable = numbered(path)
        setPortable(portable, at: index)
        _ = names.insert(Self.path(portable))
      }
    }
  }

  /// The portable paths of all folders.
  private func portableFolders(_ names: inout ZipNames) -> [[[UInt8]]: [[UInt8]]] {
    var all: Set<[[UInt8]]> = []
    for item in items {
      var folder = item.isDirectory ? item.parts : Array(item.parts.dropLast())
      while !folder.isEmpty, all.insert(folder).inserted { folder.removeLast() }
    }
    func rank(_ folder: [[UInt8]]) -> (Int, Int) {
      (folder.count, PortableName.isOne(folder.last ?? []) ? 0 : 1)
    }
    let sorted = all.sorted { one, other in
      let (first, second) = (rank(one), rank(other))
      return first == second
        ? Self.path(one).lexicographicallyPrecedes(Self.path(other)) : first < second
    }
    var portable: [[[UInt8]]: [[UInt8]]] = [:]
    for folder in sorted {
      let parent = Array(folder.dropLast())
      let above = portable[parent] ?? parent
      let name = PortableName.of(folder.last ?? [])
      let start = above.reduce(into: [UInt8]()) { $0 += $1 + [0x2F] }
      let path = names.free(start + name) { start + FreeNames.name(name, number: $0) }
      _ = names.insert(path)
      portable[folder] = above + [Array(path[start.count...])]
    }
    return portable
  }

  private static func path(_ parts: [[UInt8]]) -> [UInt8] { Array(parts.joined(separator: [0x2F])) }

  /// The part of a name that its whole group shares.
  private static func stem(of name: [UInt8]) -> [UInt8] { Array(name.prefix(Companions.parts(of: name).stem)) }
}
