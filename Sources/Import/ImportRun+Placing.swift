// Choosing the albums and the numbers in the names of a run's files.

internal import HostFiles
internal import System
internal import SystemPackage

extension ImportRun {
  /// Groups of sources that are single files. The first file's index has the paths of its group; the others' have none.
  func namedTogether(_ sources: [ImportSource]) -> [Int: [[UInt8]]] {
    // The plan of a Takeout finds a file by the index of its source.
    guard importer.options.takeout == nil, sources.count > 1 else { return [:] }
    var groups: [[UInt8]: [Int]] = [:]
    for (part, source) in sources.enumerated() where !source.isArchive && Companions.kind(of: source.path) != .other {
      let slash = source.path.lastIndex(of: 0x2F).map { $0 + 1 } ?? 0
      groups[source.path[..<slash] + Companions.key(of: Array(source.path[slash...])), default: []].append(part)
    }
    var together: [Int: [[UInt8]]] = [:]
    for parts in groups.values where parts.count > 1 {
      let files = parts.filter { (try? importer.calls.status(of: sources[$0].path, in: nil).kind) == .file }
      for part in files { together[part] = [] }
      if let first = files.first { together[first] = files.map { sources[$0].path } }
    }
    return together
  }

  /// The place of a file without sorting by day.
  func placement(of entry: SourceEntry) -> Placement {
    importer.options.takeout?.placement(part: source.part, path: entry.path(below: source.path))
      ?? Placement(album: entry.directory.album, name: WantedName(entry.name))
  }

  /// The place of a JSON: next to the file that it describes, if that has its name already. If the album has a JSON
  /// under the name that Takeout gave it, from a part that was imported alone, the new one is first copied and
  /// compared.
  func resolved(_ placement: Placement) -> Placement {
    guard let leader = placement.leader, let path = leaders[leader] ?? nil else { return placement }
    let parts = path.split(separator: 0x2F).map { Array($0) }
    let name = TakeoutPlan.descriptionName(beside: parts.last ?? [])
    let (own, album) = (placement.name.bytes, Array(parts.dropLast()))
    if own != name, !importer.options.isTrial, importer.has(own, in: album) { return placement }
    var placement = placement
    placement.leader = nil
    placement.album = Array(album.dropFirst(importer.options.album.count))
    placement.name = WantedName(name)
    return placement
  }

  func placements(of group: ArraySlice<SourceEntry>) -> [Placement] {
    var placements = group.map(placement)
    if let sorter = importer.options.sorter { sort(group, &placements, sorter) }
    // All members of a group get the same number; otherwise a sidecar could lie next to another photo.
    let named = placements.indices.filter { index in
      let entry = group[group.startIndex + index]
      return entry.status.kind == .file && placements[index].leader == nil && placements[index].reason == nil
    }
    for index in named {
      let entry = group[group.startIndex + index]
      awaitSame(size: entry.status.size) { try? importer.beginning(of: entry) }
    }
    let members = named.map { index in
      let entry = group[group.startIndex + index]
      return NameCandidate(
        status: entry.status, album: importer.options.album + placements[index].album, name: placements[index].name,
        beginning: { try? self.importer.beginning(of: entry) }, description: placements[index].description)
    }
    let first = importer.firstNumber(members)
    for index in placements.indices { placements[index].name.first = first }
    for member in members { importer.reservations.reserve(member.album, member.name.numbered(first)) }
    return placements
  }

  /// Lets the sorter choose albums for a group.
  private func sort(_ group: ArraySlice<SourceEntry>, _ placements: inout [Placement], _ sorter: any AlbumSorter) {
    let sorted = placements.indices.filter { !placements[$0].isAlbumChosen && placements[$0].leader == nil }
    let calls = importer.calls
    let files = sorted.map { index in
      let entry = group[group.startIndex + index]
      return SortedFile(name: entry.name, status: entry.status, described: placements[index].described) {
        guard entry.status.kind == .file else { return nil }
        return try? calls.openFile(entry.name, in: entry.directory.descriptor)
      }
    }
    for (index, chosen) in zip(sorted, sorter.albums(of: files)) {
      placements[index].album = chosen.album
      placements[index].isDatedByFile = chosen.isDatedByFile
    }
  }
}
