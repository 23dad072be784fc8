// All files of all parts of a Google Takeout.
//
// Invariants
// 1. Each added file has exactly one state, and the states agree: the count of a used JSON is the number of files that
//    are matched with it.
// 2. The states depend on what was added, not on its order: only files with equal path, part and title may exchange
//    their states.

/// The names of the files of a Google Takeout, in all its parts.
package struct TakeoutTree: Sendable {
  /// A directory in one part. Several parts may have the same directory of the Takeout.
  private struct Place: Hashable {
    let part: Int
    /// The path before the directory, such as `Takeout/Google Photos`.
    let prefix: [UInt8]
    let directory: Int32
  }

  private var names: [[UInt8]] = []
  private var titles: [[UInt8]?] = []
  private var placeOfFile: [Int32] = []
  private var places: [Place] = []
  private var placeNumbers: [Place: Int32] = [:]
  private var paths: [[UInt8]] = []
  private var pathNumbers: [[UInt8]: Int32] = [:]
  /// The directory of the previous file, cached because most files come directory by directory.
  private var recent: (part: Int, directory: [UInt8], place: Int32)?
  private var isBelowPhotos = false

  /// An empty tree.
  package init() {}

  /// The number of files that were added.
  package var count: Int { names.count }

  /// Adds a file, and returns its number: 0, 1, and so on.
  ///
  /// - Parameters:
  ///   - path: The path from the root of the source or archive, with slashes.
  ///   - part: The number of the source or archive.
  ///   - title: The value of "title" in a JSON.
  @discardableResult
  package mutating func add(path: [UInt8], part: Int = 0, title: [UInt8]? = nil) -> Int {
    let slash = path.lastIndex(of: 0x2F)
    let directory = slash.map { path[..<$0] } ?? []
    names.append(Array(path[(slash.map { $0 + 1 } ?? 0)...]))
    titles.append(title == [] ? nil : title)
    if let recent, recent.part == part, recent.directory.elementsEqual(directory) {
      placeOfFile.append(recent.place)
    } else {
      let place = place(of: Array(directory), part)
      recent = (part, Array(directory), place)
      placeOfFile.append(place)
    }
    return names.count - 1
  }

  /// Sets the title of a JSON that was added.
  package mutating func setTitle(_ title: [UInt8]?, of file: Int) { titles[file] = title == [] ? nil : title }

  private mutating func place(of directory: [UInt8], _ part: Int) -> Int32 {
    let (prefix, path, isBelow) = TakeoutDirectories.split(directory)
    isBelowPhotos = isBelowPhotos || isBelow
    let number = pathNumbers[path] ?? Int32(paths.count)
    if number == paths.count {
      paths.append(path)
      pathNumbers[path] = number
    }
    let place = Place(part: part, prefix: prefix, directory: number)
    if let known = placeNumbers[place] { return known }
    places.append(place)
    placeNumbers[place] = Int32(places.count - 1)
    return Int32(places.count - 1)
  }

  /// Matches all files and JSONs.
  package func matched() -> TakeoutMatches {
    let pathOrder = paths.indices.sorted { paths[$0].lexicographicallyPrecedes(paths[$1]) }
    var rankOfPath = [Int32](repeating: 0, count: paths.count)
    for (rank, path) in pathOrder.enumerated() { rankOfPath[path] = Int32(rank) }
    let placeOrder = places.indices.sorted { one, other in
      let (one, other) = (places[one], places[other])
      if one.directory != other.directory { return rankOfPath[Int(one.directory)] < rankOfPath[Int(other.directory)] }
      return one.part == other.part ? one.prefix.lexicographicallyPrecedes(other.prefix) : one.part < other.part
    }
    var rankOfPlace = [Int32](repeating: 0, count: places.count)
    for (rank, place) in placeOrder.enumerated() { rankOfPlace[place] = Int32(rank) }
    let directoryOfFile = placeOfFile.map { rankOfPath[Int(places[Int($0)].directory)] }
    let sorted = names.indices.sorted { one, other in
      if directoryOfFile[one] != directoryOfFile[other] { return directoryOfFile[one] < directoryOfFile[other] }
      if names[one] != names[other] { return names[one].lexicographicallyPrecedes(names[other]) }
      let (first, second) = (rankOfPlace[Int(placeOfFile[one])], rankOfPlace[Int(placeOfFile[other])])
      if first != second { return first < second }
      return (titles[one] ?? []).lexicographicallyPrecedes(titles[other] ?? [])
    }

    var states = [TakeoutState](repeating: .unmatched, count: names.count)
    var directories: [TakeoutDirectory] = []
    var media: [[Int]] = []
    var isTakeout = false
    var start = 0
    while start < sorted.count {
      var end = start
      while end < sorted.count, directoryOfFile[sorted[end]] == directoryOfFile[sorted[start]] { end += 1 }
      let path = paths[pathOrder[directories.count]]
      let directory = matchDirectory(sorted[start..<end], path, &states, &isTakeout)
      directories.append(directory)
      media.append(sorted[start..<end].filter { !TakeoutName.isJSON(names[$0]) })
      start = end
    }
    let order = directories.indices.sorted { one, other in
      let (first, second) = (directories[one].kind.rank, directories[other].kind.rank)
      return first == second ? one < other : first < second
    }
    return TakeoutMatches(
      states: states, directories: directories, directoryOfFile: directoryOfFile, isTakeout: isTakeout,
      order: order.flatMap { media[$0] })
  }

  /// Files of one directory with the same name: copies in several parts.
  private struct Group {
    let name: [UInt8]
    var files: [Int]
  }

  private static func add(_ file: Int, _ name: [UInt8], to groups: inout [Group]) {
    if groups.last?.name == name {
      groups[groups.count - 1].files.append(file)
    } else {
      groups.append(Group(name: name, files: [file]))
    }
  }

  /// Matches the files of one directory, which are sorted by name.
  private func matchDirectory(
    _ files: ArraySlice<Int>, _ path: [UInt8], _ states: inout [TakeoutState], _ isTakeout: inout Bool
  ) -> TakeoutDirectory {
    var media: [Group] = []
    var sidecars: [Group] = []
    var albums: [Int] = []
    for file in files {
      let name = names[file]
      guard TakeoutName.isJSON(name) else {
        Self.add(file, name, to: &media)
        continue
      }
      states[file] = .unused
      switch TakeoutDirectories.jsonOfDirectory(name) {
      case .albumMetadata:
        states[file] = .albumMetadata
        albums.append(file)
      case .accountMetadata: states[file] = .accountMetadata
      default: Self.add(file, name, to: &sidecars)
      }
    }
    let folder = TakeoutFolder(
      media: media.map { TakeoutMedia($0.name) },
      sidecars: sidecars.map { group in
        TakeoutSidecar(group.name, title: group.files.lazy.compactMap { titles[$0] }.first)
      })
    var uses: [Int: Int] = [:]
    for (item, group) in media.enumerated() {
      guard let match = folder.found[item] else { continue }
      for file in group.files {
        // A file uses the JSON of its own part if several parts have one.
        let choices = sidecars[match.sidecar].files
        let json = choices.first { placeOfFile[$0] == placeOfFile[file] } ?? choices[0]
        states[file] = .matched(json: json, rule: match.rule)
        uses[json, default: 0] += 1
      }
      if isBelowPhotos || folder.sidecars[match.sidecar].isSurelyTakeouts { isTakeout = true }
    }
    for (json, count) in uses { states[json] = .used(files: count) }
    let name = path.split(separator: 0x2F).last ?? []
    for file in sidecars.flatMap(\.files) where states[file] == .unused {
      guard !name.isEmpty, let title = titles[file], TakeoutDirectories.isTitle(title, of: name) else { continue }
      states[file] = .albumMetadata
      albums.append(file)
    }
    let kind = TakeoutDirectories.kind(name, albumMetadata: albums.first)
    if case .year = kind, !uses.isEmpty { isTakeout = true }
    if case .album = kind, isBelowPhotos { isTakeout = true }
    return TakeoutDirectory(path: path, kind: kind)
  }
}
