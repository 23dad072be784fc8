// Invariants
// 1. A file is in it once, however many lists and groups show it.
// 2. What may not be chosen is never in it.

/// Photos that were chosen in lists which are not shown any more.
public struct KeptChoice: Sendable {
  fileprivate var items: [SnapshotItem] = []

  /// None yet.
  public init() {}

  /// How many there are.
  public var count: Int { items.count }

  /// Adds photos of a snapshot.
  ///
  /// - Throws: `.notFound` for the number of no photo; `.badRequest` for one that may not be chosen.
  public mutating func add(_ numbers: [Int], of snapshot: Snapshot) throws(GalleryError) {
    var known = Set(items.map(\.inode))
    var added: [SnapshotItem] = []
    for number in numbers {
      let item = try snapshot.item(number)
      guard !snapshot.isRefused(number) else { throw GalleryError(.badRequest, "One of these may not be chosen.") }
      if known.insert(item.inode).inserted { added.append(item) }
    }
    items += added
  }

  /// Takes out what a snapshot shows.
  ///
  /// - Returns: the numbers that the photos have there.
  public mutating func take(shownBy snapshot: Snapshot) -> [Int] {
    var waiting = Set(items.map(\.inode))
    var numbers: [Int] = []
    for number in 0..<snapshot.count where !waiting.isEmpty && !snapshot.isRefused(number) {
      if waiting.remove(snapshot.inode(number)) != nil { numbers.append(number) }
    }
    items.removeAll { !waiting.contains($0.inode) }
    return numbers
  }

  /// Takes out what is not where it was chosen.
  ///
  /// - Returns: how many that were.
  public mutating func takeGone(from gallery: Gallery) -> Int {
    let before = items.count
    items.removeAll { item in (try? gallery.check(item)) == nil }
    return before - items.count
  }
}

extension Gallery {
  /// The paths of photos that were chosen.
  ///
  /// - Throws: `.notFound` or `.conflict` if one leads to that photo no more.
  public func paths(of choice: KeptChoice) throws(GalleryError) -> [SpacePath] {
    try GalleryError.of("A photo that was chosen") {
      for item in choice.items { try check(item) }
    }
    return choice.items.map(\.path)
  }
}
