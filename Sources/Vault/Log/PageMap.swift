/// The position of each page of the database, and the number of current pages in each segment.
struct PageMap {
  /// The position of page n at index n − 1; 0 for a page that does not exist.
  private(set) var positions: [UInt64]
  private var counts: [SegmentNumber: Int] = [:]

  init(positions: [UInt64]) {
    self.positions = positions
    for position in positions where position != 0 { counts[LogPosition(rawValue: position).segment, default: 0] += 1 }
  }

  var pageCount: UInt32 { UInt32(positions.count) }

  /// The position of a page; nil when the database has no such page.
  func position(of page: PageNumber) -> LogPosition? {
    let index = Int(page.rawValue) - 1
    guard positions.indices.contains(index), positions[index] != 0 else { return nil }
    return LogPosition(rawValue: positions[index])
  }

  /// The number of current pages in a segment.
  func count(in segment: SegmentNumber) -> Int { counts[segment] ?? 0 }

  /// The current pages in a segment.
  func pages(in segment: SegmentNumber) -> [PageNumber] {
    positions.indices.filter { positions[$0] != 0 && LogPosition(rawValue: positions[$0]).segment == segment }
      .map { PageNumber(rawValue: UInt32($0 + 1)) }
  }

  /// Sets the number of pages. Pages beyond it are removed.
  mutating func resize(to pageCount: UInt32) {
    while positions.count > Int(pageCount) { release(positions.removeLast()) }
    if positions.count < Int(pageCount) {
      positions.append(contentsOf: repeatElement(0, count: Int(pageCount) - positions.count))
    }
  }

  /// Sets the position of a page. Pages beyond the page count are ignored.
  mutating func set(_ page: PageNumber, to position: LogPosition) {
    let index = Int(page.rawValue) - 1
    guard positions.indices.contains(index) else { return }
    release(positions[index])
    positions[index] = position.rawValue
    counts[position.segment, default: 0] += 1
  }

  private mutating func release(_ position: UInt64) {
    guard position != 0 else { return }
    let segment = LogPosition(rawValue: position).segment
    let count = (counts[segment] ?? 0) - 1
    counts[segment] = count > 0 ? count : nil
  }
}
