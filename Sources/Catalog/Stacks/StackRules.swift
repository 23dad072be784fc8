// Invariants
// 1. A file is in at most one stack, and a stack has at least two files.
// 2. A time alone never makes a stack, and neither does a name alone, unless the name marks a series.
// 3. The user's decisions have priority.

internal import Media

/// The user's decisions about stacks.
package struct StackDecisions: Hashable, Sendable {
  /// Files that stay out of all stacks, unless the user also put them into one.
  package var alone: Set<UInt64> = []
  /// Sets of files that the user joined.
  package var together: [Set<UInt64>] = []
  /// Without decisions.
  package init() {}
}

/// Several files that are one picture.
package struct Stack: Hashable, Sendable {
  package var kind: StackKind
  /// The file that represents it.
  package var cover: UInt64
  /// All files, the cover included, ascending.
  package var members: [UInt64]
}

/// The stacks of some files.
package struct Stacks: Hashable, Sendable {
  /// The stacks, by their covers, ascending.
  package var list: [Stack]
  /// Files that are edited versions of another file.
  package var edited: Set<UInt64>
}

/// Finds stacks: live photos, RAW with JPEG, bursts, edited versions.
package struct StackRules {
  /// Most seconds between a live photo and its video, without an identifier.
  package static let liveGap = 3.0
  /// Longest video of a live photo, in seconds, without an identifier.
  package static let liveDuration = 10.0
  /// Most seconds between a RAW and its JPEG, and between an original and its edited version.
  package static let rawGap = 2.0

  let items: [StackCandidate]
  let stems: [[UInt8]]
  var sets: DisjointSets
  /// The kind of each link, with an item in it.
  var reasons: [(item: Int, kind: StackKind)] = []
  var edited = Set<Int>()
  var seriesCovers = Set<Int>()

  /// Finds the stacks of some files. Each file has one candidate; the order of candidates does not matter.
  package static func stacks(of candidates: [StackCandidate], decisions: StackDecisions = .init()) -> Stacks {
    var seen = Set<UInt64>()
    let items = candidates.sorted { $0.inode < $1.inode }.filter { seen.insert($0.inode).inserted }
    let decided = decisions.together.reduce(into: decisions.alone) { $0.formUnion($1) }
    var rules = StackRules(items: items)
    rules.joinByName(items.indices.filter { !decided.contains(items[$0].inode) })
    let numbers = Dictionary(uniqueKeysWithValues: items.enumerated().map { ($1.inode, $0) })
    for group in decisions.together {
      let group = group.compactMap { numbers[$0] }.sorted()
      for (one, next) in zip(group, group.dropFirst()) { rules.join(one, next, .manual) }
    }
    return rules.result()
  }

  private init(items: [StackCandidate]) {
    self.items = items
    stems = items.map { NameParts.stem($0.name) }
    sets = DisjointSets(count: items.count)
  }

  mutating func join(_ one: Int, _ other: Int, _ kind: StackKind) {
    sets.join(one, other)
    reasons.append((one, kind))
  }

  private mutating func result() -> Stacks {
    var members: [Int: [Int]] = [:]
    for index in items.indices { members[sets.root(of: index), default: []].append(index) }
    var kinds: [Int: StackKind] = [:]
    for reason in reasons {
      let root = sets.root(of: reason.item)
      // The kind that explains most files: a burst may contain pairs of RAW and JPEG.
      let order: [StackKind] = [.manual, .burst, .live, .raw, .edited]
      let rank = { (kind: StackKind) in order.firstIndex(of: kind) ?? order.count }
      if kinds[root].map({ rank(reason.kind) < rank($0) }) ?? true { kinds[root] = reason.kind }
    }
    var list: [Stack] = []
    for (root, group) in members where group.count > 1 {
      guard let kind = kinds[root], let cover = group.min(by: { isBetterCover($0, $1) }) else { continue }
      list.append(Stack(kind: kind, cover: items[cover].inode, members: group.map { items[$0].inode }.sorted()))
    }
    return Stacks(list: list.sorted { $0.cover < $1.cover }, edited: Set(edited.map { items[$0].inode }))
  }

  /// In this order: the user's choice, the edited version, the camera's choice, a photo before a video, a finished
  /// picture before RAW, the earliest.
  private func isBetterCover(_ one: Int, _ other: Int) -> Bool {
    func key(_ index: Int) -> (Int, Int, Int, Int, Int) {
      let item = items[index]
      return (
        item.isChosen ? 0 : 1, edited.contains(index) && !item.kind.isVideo ? 0 : 1,
        seriesCovers.contains(index) ? 0 : 1,
        item.kind.isVideo ? 1 : 0, item.kind == .raw ? 1 : 0
      )
    }
    let (first, second) = (key(one), key(other))
    if first != second { return first < second }
    switch (items[one].taken?.wall, items[other].taken?.wall) {
    case (let time?, let otherTime?) where time != otherTime: return time < otherTime
    default: return items[one].inode < items[other].inode
    }
  }
}

/// A union-find structure.
struct DisjointSets {
  private var parents: [Int]

  init(count: Int) { parents = Array(0..<count) }

  mutating func root(of index: Int) -> Int {
    var index = index
    while parents[index] != index {
      parents[index] = parents[parents[index]]
      index = parents[index]
    }
    return index
  }

  /// Joins two sets. The lower index remains the root.
  mutating func join(_ one: Int, _ other: Int) {
    let (first, second) = (root(of: one), root(of: other))
    if first != second { parents[max(first, second)] = min(first, second) }
  }
}
