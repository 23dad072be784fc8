// Where the files of a Google Takeout go.
//
// Invariants
// 1. Every file has a place, except those in the trash if it is left out. A JSON that describes a file goes next to it,
//    under the file's own name and ".json", so that the catalog finds it whatever name Takeout gave it.
// 2. A part that is imported alone gets the same places as with all parts, except where only a JSON in another part
//    says that a directory is an album, or when a photo was taken.

internal import HostFiles

/// The contents of a JSON of a Google Takeout that an import needs.
package struct TakeoutDescription: Hashable, Sendable {
  /// The original name of the file.
  package var title: [UInt8]?
  /// What it says about when and where the file was taken, in the form that the sorter reads; nil if it says nothing.
  package var taken: [UInt8]?
  /// A hash that distinguishes its bytes from those of other JSONs, within this process.
  var content: Int?

  /// A description with this title and these facts.
  package init(title: [UInt8]?, taken: [UInt8]?) {
    self.title = title
    self.taken = taken
  }

  /// The hash that distinguishes the bytes of JSONs, within this process.
  static func mark(of content: [UInt8]) -> Int { content.hashValue }
}

/// The places of all files of a Google Takeout, in all its parts.
package struct TakeoutPlan: Sendable {
  private struct Key: Hashable {
    var part: Int
    var path: [UInt8]
  }

  /// Which JSON describes which file.
  package let matches: TakeoutMatches
  private let includesTrash: Bool
  private let numbers: [Key: Int32]
  /// What JSONs say about when and where files were taken.
  private let taken: [Int32: [UInt8]]
  /// The hashes that distinguish JSONs.
  private let contents: [Int32: Int]
  /// The file that each JSON goes next to.
  private let leaders: [Int32: Int32]
  private let led: Set<Int32>
  /// The indexes of the sources that are parts of the Takeout. The files of other sources keep their places.
  private var parts: Set<Int> = []
  /// Whether there is a top directory such as "Google Photos". Files outside it keep their places.
  private var hasTop = false
  private var isForced = false
  /// The indexes of the sources that are inside the top directory.
  private var inside: Set<Int> = []
  /// The parts that the user gave.
  package private(set) var named = TakeoutParts()
  /// The number of photos and videos that no JSON describes.
  package private(set) var undescribed = 0

  /// Collects the files of a Google Takeout.
  struct Builder {
    private var tree = TakeoutTree()
    private var numbers: [Key: Int32] = [:]
    private var taken: [Int32: [UInt8]] = [:]
    private var contents: [Int32: Int] = [:]
    /// The number of JSONs.
    private(set) var descriptions = 0
    var count: Int { tree.count }
    /// The sources whose directory names alone show that they are parts of a Takeout.
    private var known: Set<Int> = []
    private var inside: Set<Int> = []
    private var named = TakeoutParts()
    /// The directory of the previous file, cached because most files come directory by directory.
    private var recent: (part: Int, directory: [UInt8])?

    /// Whether the directory names show that the sources are a Takeout.
    var isKnown: Bool { !known.isEmpty }

    /// Whether a name is that of a JSON.
    static func isDescription(_ name: [UInt8]) -> Bool { TakeoutName.isJSON(name) }

    /// Adds a file. `path` is its path below the source; `above` is the path of a source that is a directory, or the
    /// name of an archive.
    mutating func add(_ path: [UInt8], below above: [UInt8], part: Int, _ description: TakeoutDescription?) {
      look(path, above, part)
      let number = Int32(tree.add(path: path, part: part, title: description?.title))
      let key = Key(part: part, path: path)
      numbers[key] = numbers[key] ?? number
      if let said = description?.taken { taken[number] = said }
      if let content = description?.content { contents[number] = content }
      if Self.isDescription(path) { descriptions += 1 }
    }

    /// The plan; nil if the sources are not a Takeout, unless `isForced`.
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

    /// Inspects the names of the directories that contain a file.
    private mutating func look(_ path: [UInt8], _ above: [UInt8], _ part: Int) {
      let directory = path.lastIndex(of: 0x2F).map { path[..<$0] } ?? []
      if let recent, recent.part == part, recent.directory.elementsEqual(directory) { return }
      recent = (part, Array(directory))
      let outer = above.split(separator: 0x2F)
      let names = outer + directory.split(separator: 0x2F)
      for name in names { named.add(name) }
      if TakeoutDirectories.isTakeouts(outer) {
        // A source that is itself a year or an album becomes an album of its own name in any case.
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
    // A JSON goes next to the file that has it by the most certain rule. The catalog finds it by name for the video of
    // a live photo and for an edited version as well.
    var best: [Int32: (rule: UInt8, file: Int32)] = [:]
    for file in matches.order {
      guard case .matched(let json, let rule) = matches.states[file] else { continue }
      if best[Int32(json)].map({ $0.rule > rule.rawValue }) ?? true { best[Int32(json)] = (rule.rawValue, Int32(file)) }
    }
    leaders = best.mapValues(\.file)
    led = Set(leaders.values)
  }

  /// Whether a JSON goes next to this file.
  func isLeader(_ number: Int) -> Bool { led.contains(Int32(number)) }

  /// The place of a file; nil if it did not exist when the files were listed.
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

  /// The name of a JSON next to a file.
  static func descriptionName(beside name: [UInt8]) -> [UInt8] { self.name(beside: name, ending: ".json") }

  /// The name of a sidecar next to a file.
  static func name(beside name: [UInt8], ending: String) -> [UInt8] {
    Array(name.prefix(255 - ending.utf8.count)) + Array(ending.utf8)
  }
}
