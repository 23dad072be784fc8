// Invariants
// 1. A file is contained once, however many lists and groups show it.
// 2. A file that may not be chosen is never contained.

/// Photos that were chosen in lists which are no longer shown.
public struct KeptChoice: Sendable {
  fileprivate var items: [SnapshotItem] = []

  /// An empty choice.
  public init() {}

  /// The number of photos.
  public var count: Int { items.count }

  /// Adds photos of a snapshot.
  ///
  /// - Throws: `.notFound` for a number without a photo; `.badRequest` for a photo that may not be chosen.
  public mutating func add(_ numbers: [Int], of snapshot: Snapshot) throws(GalleryError) {
    var known = Set(items.map(\.inode))
    var added: [SnapshotItem] = []
    for number in numbers {
      let item = try snapshot.item(number)
      guard !snapshot.isRefused(number) else {
        throw GalleryError(.badRequest, "One of these photos may not be chosen.")
      }
      if known.insert(item.inode).inserted { added.append(item) }
    }
    items += added
  }

  /// Removes the photos that a snapshot shows.
  ///
  /// - Returns: Their numbers in the snapshot.
  public mutating func take(shownBy snapshot: Snapshot) -> [Int] {
    var waiting = Set(items.map(\.inode))
    var numbers: [Int] = []
    for number in 0..<snapshot.count where !waiting.isEmpty && !snapshot.isRefused(number) {
      if waiting.remove(snapshot.inode(number)) != nil { numbers.append(number) }
    }
    items.removeAll { !waiting.contains($0.inode) }
    return numbers
  }

  /// Removes the photos that are not at their paths any more.
  ///
  /// - Returns: The number of removed photos.
  public mutating func takeGone(from gallery: Gallery) -> Int {
    let before = items.count
    items.removeAll { item in (try? gallery.check(item)) == nil }
    return before - items.count
  }
}

extension Gallery {
  /// The paths of the chosen photos.
  ///
  /// - Throws: `.notFound` or `.conflict` if a path does not lead to its photo any more.
  public func paths(of choice: KeptChoice) throws(GalleryError) -> [SpacePath] {
    try GalleryError.of("A chosen photo") {
      for item in choice.items { try check(item) }
    }
    return choice.items.map(\.path)
  }
}
