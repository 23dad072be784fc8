// Where the files of a Google Takeout go.
//
// Invariants
// 1. Every file has a place, but what is in the trash if that is left out. A JSON that describes a file goes beside it,
//    under the file's own name and ".json", so that the catalog finds it whatever Takeout called it.
// 2. A part of a Takeout has the places that it has among all parts, but for what only a JSON in another part says: that a
//    directory is an album, and when a photo was taken.

internal import HostFiles

/// What a JSON of a Google Takeout says, as far as an import needs it.
package struct TakeoutDescription: Hashable, Sendable {
  /// The name that the file had.
  package var title: [UInt8]?
  /// What it says about when and where the file was taken, as the sorter reads it; nil if it says nothing.
  package var taken: [UInt8]?
  /// Tells its bytes from those of others, in this process.
  var content: Int?

  /// What it says.
  package init(title: [UInt8]?, taken: [UInt8]?) {
    self.title = title
    self.taken = taken
  }

  /// What tells the bytes of a JSON from others, in this process.
  static func mark(of content: [UInt8]) -> Int { content.hashValue }
}

/// The places of all files of a Google Takeout, of all its parts.
package struct TakeoutPlan: Sendable {
  private struct Key: Hashable {
    var part: Int
    var path: [UInt8]
  }

  /// What belongs to what.
  package let matches: TakeoutMatches
  private let includesTrash: Bool
  private let numbers: [Key: Int32]
  /// What JSONs say about when and where files were taken.
  private let taken: [Int32: [UInt8]]
  /// What tells the bytes of JSONs from others.
  private let contents: [Int32: Int]
  /// The file that each JSON goes beside.
  private let leaders: [Int32: Int32]
  private let led: Set<Int32>
  /// Sources that are parts of the Takeout. What lies elsewhere keeps its place.
  private var parts: Set<Int> = []
  /// Whether there is a directory that has all others, such as "Google Photos". What is not in it keeps its place.
  private var hasTop = false
  private var isForced = false
  /// Sources that are the directory that has all others. What is in them is below it.
  private var inside: Set<Int> = []
  /// Which parts were named.
  package private(set) var named = TakeoutParts()
  /// Photos and videos that no JSON describes.
  package private(set) var undescribed = 0

  /// Collects the files of a Google Takeout.
  struct Builder {
    private var tree = TakeoutTree()
    private var numbers: [Key: Int32] = [:]
    private var taken: [Int32: [UInt8]] = [:]
    private var contents: [Int32: Int] = [:]
    /// Files that are JSONs.
    private(set) var descriptions = 0
    var count: Int { tree.count }
    /// Sources of which the directories alone say that they are parts of a Takeout.
    private var known: Set<Int> = []
    private var inside: Set<Int> = []
    private var named = TakeoutParts()
    /// The directory that the file before was in, since most come together.
    private var recent: (part: Int, directory: [UInt8])?

    /// Whether the directories say that it is a Takeout.
    var isKnown: Bool { !known.isEmpty }

    /// Whether a name is a JSON's.
    static func isDescription(_ name: [UInt8]) -> Bool { TakeoutName.isJSON(name) }

    /// Adds a file; `path` is that below the source, and `above` the path of a directory that is the source, or the name
    /// of an archive.
    mutating func add(_ path: [UInt8], below above: [UInt8], part: Int, _ description: TakeoutDescription?) {
      look(path, above, part)
      let number = Int32(tree.add(path: path, part: part, title: description?.title))
      let key = Key(part: part, path: path)
      numbers[key] = numbers[key] ?? number
      if let said = description?.taken { taken[number] = said }
      if let content = description?.content { contents[number] = content }
      if Self.isDescription(path) { descriptions += 1 }
    }

    /// The places; nil if it is no Takeout, unless it `isForced` to be one.
    func plan(includesTrash: Bool, isForced: Bool) -> TakeoutPlan? {
      let matches = tree.matched()
      guard matches.isTakeout || isForced || isKnown else { return nil }
      var plan = TakeoutPlan(matches, numbers, taken, contents, includesTrash: includesTrash)
      plan.isForced = isForced
      plan.parts.formUnion(known)
      plan.inside = inside
      plan.named = named
      return plan
    }

    /// Looks at the names of the directories that a file is in.
    private mutating func look(_ path: [UInt8], _ above: [UInt8], _ part: Int) {
      let directory = path.lastIndex(of: 0x2F).map { path[..<$0] } ?? []
      if let recent, recent.part == part, recent.directory.elementsEqual(directory) { return }
      recent = (part, Array(directory))
      let outer = above.split(separator: 0x2F)
      let names = outer + directory.split(separator: 0x2F)
      for name in names { named.add(name) }
      if TakeoutDirectories.isTakeouts(outer) {
        // A year or an album that is a source of its own is an album of its own name in any case.
        guard TakeoutDirectories.split(above).path.isEmpty else { return }
        inside.insert(part)
      }
      if !known.contains(part), TakeoutDirectories.isTakeouts(names) { known.insert(part) }
    }
  }

  private init(
    _ matches: TakeoutMatches, _ numbers: [Key: Int32], _ taken: [Int32: [UInt8]], _ contents: [Int32: Int],
    includesTrash: Bool
  ) {
    self.matches = matches
    self.contents = contents
    for (key, number) in numbers {
      if matches.states[Int(number)] == .unmatched, Companions.kind(of: key.path) == .media { undescribed += 1 }
      let slash = key.path.lastIndex(of: 0x2F)
      if !TakeoutDirectories.split(slash.map { Array(key.path[..<$0]) } ?? []).prefix.isEmpty {
        hasTop = true
        parts.insert(key.part)
      } else if matches.isDescribed(Int(number)) {
        parts.insert(key.part)
      }
    }
    self.numbers = numbers
    self.taken = taken
    self.includesTrash = includesTrash
    // A JSON goes beside the file that it has by the surest rule; the catalog knows by their names that the video of a
    // live photo and an edited version have the same.
    var best: [Int32: (rule: UInt8, file: Int32)] = [:]
    for file in matches.order {
      guard case .matched(let json, let rule) = matches.states[file] else { continue }
      if best[Int32(json)].map({ $0.rule > rule.rawValue }) ?? true { best[Int32(json)] = (rule.rawValue, Int32(file)) }
    }
    leaders = best.mapValues(\.file)
    led = Set(leaders.values)
  }

  /// Whether a JSON goes beside a file.
  func isLeader(_ number: Int) -> Bool { led.contains(Int32(number)) }

  /// The place of a file; nil if it was not there when the files were listed.
  func placement(part: Int, path: [UInt8]) -> Placement? {
    guard let number = numbers[Key(part: part, path: path)], isForced || parts.contains(part) else { return nil }
    let slash = path.lastIndex(of: 0x2F)
    let isOutside = hasTop && !inside.contains(part)
    if !isForced, isOutside, TakeoutDirectories.split(slash.map { Array(path[..<$0]) } ?? []).prefix.isEmpty {
      return nil
    }
    let directory = matches.directory(of: Int(number))
    let name = slash.map { Array(path[($0 + 1)...]) } ?? path
    var placement = Placement(
      album: directory.path.split(separator: 0x2F).map { Array($0) }, name: WantedName(name), number: Int(number))
    if case .album = directory.kind { placement.isAlbumChosen = true }
    if directory.kind == .trash {
      placement.isAlbumChosen = true
      if !includesTrash { placement.reason = .inTrash }
    }
    if let leader = leaders[number] { placement.leader = Int(leader) }
    if case .matched(let json, _) = matches.states[Int(number)] {
      placement.described = taken[Int32(json)]
      placement.description = contents[Int32(json)]
    }
    return placement
  }

  /// The name of a JSON beside a file.
  static func descriptionName(beside name: [UInt8]) -> [UInt8] { self.name(beside: name, ending: ".json") }

  /// The name of a sidecar beside a file.
  static func name(beside name: [UInt8], ending: String) -> [UInt8] {
    Array(name.prefix(255 - ending.utf8.count)) + Array(ending.utf8)
  }
}
