// Which JSON describes which file of one directory.
//
// Invariants
// 1. Nothing is guessed: where two files have the same claim to a JSON, or one file to two JSONs, that rule matches
//    neither. A file without metadata is reported; a file with the metadata of another would be falsified.
// 2. A JSON describes one file by its own name or title. Other files share it only as parts or edited versions of that
//    file.
// 3. The result is a function of the names and titles, and does not depend on their order.

/// The files and JSONs of a directory, each name once.
struct TakeoutFolder {
  /// A name to look up.
  struct Key: Hashable {
    /// The name as it is written; empty if `folded` counts.
    private let written: [UInt8]
    private let folded: String
    private let index: Int

    init(_ name: some Collection<UInt8>, _ index: Int, isFolded: Bool) {
      written = isFolded ? [] : Array(name)
      folded = isFolded ? TakeoutText.folded(name) : ""
      self.index = index
    }
  }

  /// A name with the number of a copy.
  typealias Numbered = (name: [UInt8], index: Int)

  let media: [TakeoutMedia]
  let sidecars: [TakeoutSidecar]
  /// The index of each file's JSON, and the rule; nil if it has none.
  private(set) var found: [(sidecar: Int, rule: TakeoutRule)?]
  /// For each JSON, the file that it describes by its own name or title, or nil.
  private var owners: [Int?]

  /// Matches files and JSONs; both are sorted by name.
  init(media: [TakeoutMedia], sidecars: [TakeoutSidecar]) {
    self.media = media
    self.sidecars = sidecars
    found = Array(repeating: nil, count: media.count)
    owners = Array(repeating: nil, count: sidecars.count)
    if sidecars.isEmpty || media.isEmpty { return }
    for isFolded in [false, true] { pairByWholeNames(isFolded) }
    for isFolded in [false, true] { pair(.title, isFolded, Self.titles, Self.ownNames, prefersLonger: false) }
    for isFolded in [false, true] { pair(.cutName, isFolded, Self.cutBases, Self.cutNames) }
    for isFolded in [false, true] {
      pair(.missingEnding, isFolded, Self.basesAndTitles, Self.names(withoutEnding:))
      pair(.missingEnding, isFolded, Self.basesWithoutEnding, Self.namesThatHaveNoEnding)
    }
    share()
  }

  /// Matches a file with a JSON that other files have as well, or that names no file.
  mutating func set(_ item: Int, _ sidecar: Int, _ rule: TakeoutRule) { found[item] = (sidecar, rule) }

  /// Files that have no JSON yet.
  var open: [Int] { media.indices.filter { found[$0] == nil } }

  private mutating func pairByWholeNames(_ isFolded: Bool) {
    let none = TakeoutName.noIndex
    pair(.exactName, isFolded, { [($0.stem, none)] }, { [($0.name, none)] })
    pair(
      .supplemental, isFolded, { $0.uncutIndex == none ? $0.whole.map { [($0, none)] } ?? [] : [] },
      { [($0.name, none)] })
    pair(
      .index, isFolded, { $0.index == none ? [] : [($0.base, $0.index)] }, { $0.hasIndex ? [($0.plain, $0.index)] : [] }
    )
  }

  /// Matches JSONs that describe no file yet with files without a JSON, by a name that both have.
  private mutating func pair(
    _ rule: TakeoutRule, _ isFolded: Bool, _ sidecarNames: (TakeoutSidecar) -> [Numbered],
    _ mediaNames: (TakeoutMedia) -> [Numbered], prefersLonger: Bool = true
  ) {
    var named: [Key: Int?] = [:]
    for (place, sidecar) in sidecars.enumerated() where owners[place] == nil {
      for (name, index) in sidecarNames(sidecar) {
        let key = Key(name, index, isFolded: isFolded)
        switch named[key] {
        case nil: named[key] = .some(place)
        case .some(let other):
          if let other, other != place { named[key] = .some(prefersLonger ? better(other, place) : nil) }
        }
      }
    }
    if named.isEmpty { return }
    var claims: [Int: [Int]] = [:]
    for item in open {
      for (name, index) in mediaNames(media[item]) {
        guard let place = named[Key(name, index, isFolded: isFolded)] else { continue }
        if let place { claims[place, default: []].append(item) }
        break
      }
    }
    for (place, items) in claims {
      guard let item = first(of: items) else { continue }
      found[item] = (place, rule)
      owners[place] = item
    }
  }

  /// Of two JSONs of the same name, which two exports create, the one in the newer form.
  private func better(_ one: Int, _ other: Int) -> Int {
    sidecars[other].stem.count > sidecars[one].stem.count ? other : one
  }

  /// Of several files with the same claim, the one that the JSON is about: a photo before its edited version and its
  /// video.
  private func first(of items: [Int]) -> Int? {
    guard items.count > 1 else { return items.first }
    let ranked = items.map { item in
      let one = media[item]
      let rank = (one.isVideo ? 4 : 0) + (TakeoutEdits.original(of: one) == nil ? 0 : 2) + (one.hasIndex ? 1 : 0)
      return (rank: rank, item: item)
    }
    guard let least = ranked.map(\.rank).min() else { return nil }
    let best = ranked.filter { $0.rank == least }
    return best.count == 1 ? best[0].item : nil
  }
}

// The names by which files and JSONs are matched.
extension TakeoutFolder {
  fileprivate static func ownNames(_ media: TakeoutMedia) -> [Numbered] {
    let whole: Numbered = (media.name, TakeoutName.noIndex)
    return media.hasIndex ? [whole, (media.plain, media.index)] : [whole]
  }

  /// The file names that Takeout may have made from the title: with invalid characters replaced, and cut before the
  /// ending.
  fileprivate static func titles(_ sidecar: TakeoutSidecar) -> [Numbered] {
    guard let title = sidecar.title else { return [] }
    var names = [title, TakeoutText.asFileName(title)]
    let (stem, ending) = TakeoutName.split(names[1])
    if TakeoutText.length(names[1]) > TakeoutText.mostInName {
      names += TakeoutText.cuts(stem, to: TakeoutText.mostInName - ending.count).map { $0 + ending }
    }
    // "X(1).jpg.json" may describe a file that was originally called "X(1).jpg", and not a copy of "X.jpg".
    let isPartOfTitle = sidecar.uncutIndex == TakeoutName.noIndex && TakeoutName.plain(title).index == sidecar.index
    return names.map { ($0, isPartOfTitle ? TakeoutName.noIndex : sidecar.index) }
  }

  fileprivate static func cutBases(_ sidecar: TakeoutSidecar) -> [Numbered] {
    [(sidecar.uncut, sidecar.uncutIndex), (sidecar.base, sidecar.index)]
  }

  fileprivate static func cutNames(_ media: TakeoutMedia) -> [Numbered] {
    [TakeoutText.mostInSidecar, TakeoutText.mostInName].flatMap { most in
      TakeoutText.cuts(media.plain, to: most).map { ($0, media.index) }
        + (media.hasIndex ? TakeoutText.cuts(media.name, to: most).map { ($0, TakeoutName.noIndex) } : [])
    }
  }

  fileprivate static func basesAndTitles(_ sidecar: TakeoutSidecar) -> [Numbered] {
    let base: Numbered = (sidecar.base, sidecar.index)
    guard let title = sidecar.title else { return [base] }
    return [base, (TakeoutText.asFileName(title), sidecar.index)]
  }

  /// The names without the ending, or with only a part of it.
  fileprivate static func names(withoutEnding media: TakeoutMedia) -> [Numbered] {
    let (stem, ending) = TakeoutName.split(media.plain)
    var names = (0..<ending.count).reversed().map { Numbered(Array(stem + ending.prefix($0)), media.index) }
    if media.hasIndex, !ending.isEmpty {
      names.append((Array(TakeoutName.split(media.name).stem), TakeoutName.noIndex))
    }
    return names
  }

  fileprivate static func basesWithoutEnding(_ sidecar: TakeoutSidecar) -> [Numbered] {
    let (stem, ending) = TakeoutName.split(sidecar.base)
    return TakeoutName.isPhotoEnding(ending) || TakeoutName.isVideoEnding(ending) ? [(Array(stem), sidecar.index)] : []
  }

  fileprivate static func namesThatHaveNoEnding(_ media: TakeoutMedia) -> [Numbered] {
    TakeoutName.split(media.plain).ending.isEmpty ? [(media.plain, media.index)] : []
  }
}
