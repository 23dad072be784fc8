// The position of each page of the database.
//
// Invariants
// 1. Positions are kept in chunks of equal length, which the copies of a map share. A copy takes almost no time, and a
//    change after it copies the list of chunks and one chunk. So several states of the database cost only their
//    differences.
// 2. Positions behind the last page are 0.

/// The position of each page of the database, and the number of current pages in each segment.
struct PageMap {
  /// Positions in a chunk: one page of memory.
  static let chunkSize = 512

  /// The position of page n at place n − 1, counted through all chunks; 0 for a page that does not exist.
  private(set) var chunks: [[UInt64]]
  /// The number of pages of the database.
  private(set) var pageCount: UInt32
  private var counts: [SegmentNumber: Int] = [:]

  init(positions: [UInt64]) {
    chunks = stride(from: 0, to: positions.count, by: Self.chunkSize).map { start in
      let part = positions[start..<min(start + Self.chunkSize, positions.count)]
      return Array(part) + [UInt64](repeating: 0, count: Self.chunkSize - part.count)
    }
    pageCount = UInt32(positions.count)
    for position in positions where position != 0 { counts[LogPosition(rawValue: position).segment, default: 0] += 1 }
  }

  /// The position of page n at index n − 1; 0 for a page that does not exist.
  var positions: [UInt64] {
    var positions: [UInt64] = []
    positions.reserveCapacity(Int(pageCount))
    for chunk in chunks { positions += chunk.prefix(Int(pageCount) - positions.count) }
    return positions
  }

  /// The segments with current pages.
  var segments: some Collection<SegmentNumber> { counts.keys }

  /// The position of a page; nil when the database has no such page.
  func position(of page: PageNumber) -> LogPosition? {
    let index = Int(page.rawValue) - 1
    guard (0..<Int(pageCount)).contains(index) else { return nil }
    let found = position(at: index)
    return found == 0 ? nil : LogPosition(rawValue: found)
  }

  /// The number of current pages in a segment.
  func count(in segment: SegmentNumber) -> Int { counts[segment] ?? 0 }

  /// The current pages in a segment.
  func pages(in segment: SegmentNumber) -> [PageNumber] {
    var pages: [PageNumber] = []
    for (index, chunk) in chunks.enumerated() {
      for (place, position) in chunk.enumerated()
      where position != 0 && LogPosition(rawValue: position).segment == segment {
        pages.append(PageNumber(rawValue: UInt32(index * Self.chunkSize + place + 1)))
      }
    }
    return pages
  }

  /// Sets the number of pages. Pages beyond it are removed.
  mutating func resize(to pageCount: UInt32) {
    let needed = (Int(pageCount) + Self.chunkSize - 1) / Self.chunkSize
    for index in Int(pageCount)..<max(Int(pageCount), Int(self.pageCount)) {
      release(position(at: index))
      if index / Self.chunkSize < needed { chunks[index / Self.chunkSize][index % Self.chunkSize] = 0 }
    }
    if chunks.count > needed {
      chunks.removeLast(chunks.count - needed)
    } else {
      let empty = [UInt64](repeating: 0, count: Self.chunkSize)
      chunks.append(contentsOf: repeatElement(empty, count: needed - chunks.count))
    }
    self.pageCount = pageCount
  }

  /// Sets the position of a page. Pages beyond the page count are ignored.
  mutating func set(_ page: PageNumber, to position: LogPosition) {
    let index = Int(page.rawValue) - 1
    guard (0..<Int(pageCount)).contains(index) else { return }
    release(self.position(at: index))
    chunks[index / Self.chunkSize][index % Self.chunkSize] = position.rawValue
    counts[position.segment, default: 0] += 1
  }

  private func position(at index: Int) -> UInt64 { chunks[index / Self.chunkSize][index % Self.chunkSize] }

  private mutating func release(_ position: UInt64) {
    guard position != 0 else { return }
    let segment = LogPosition(rawValue: position).segment
    let count = (counts[segment] ?? 0) - 1
    counts[segment] = count > 0 ? count : nil
  }
}
