/// Where each page of the database's current state is, and how many of them each segment holds.
struct PageMap {
  /// Position of page n at index n − 1; 0 where there is none.
  private(set) var positions: [UInt64]
  private var counts: [SegmentNumber: Int] = [:]

  init(positions: [UInt64]) {
    self.positions = positions
    for position in positions where position != 0 { counts[LogPosition(rawValue: position).segment, default: 0] += 1 }
  }

  var pageCount: UInt32 { UInt32(positions.count) }

  /// Where a page is; nil when the database has no such page.
  func position(of page: PageNumber) -> LogPosition? {
    let index = Int(page.rawValue) - 1
    guard positions.indices.contains(index), positions[index] != 0 else { return nil }
    return LogPosition(rawValue: positions[index])
  }

  /// How many current pages are in a segment.
  func count(in segment: SegmentNumber) -> Int { counts[segment] ?? 0 }

  /// The current pages in a segment.
  func pages(in segment: SegmentNumber) -> [PageNumber] {
    positions.indices.filter { positions[$0] != 0 && LogPosition(rawValue: positions[$0]).segment == segment }
      .map { PageNumber(rawValue: UInt32($0 + 1)) }
  }

  /// Sets the number of pages; those beyond are forgotten.
  mutating func resize(to pageCount: UInt32) {
    while positions.count > Int(pageCount) { release(positions.removeLast()) }
    if positions.count < Int(pageCount) {
      positions.append(contentsOf: repeatElement(0, count: Int(pageCount) - positions.count))
    }
  }

  /// Says where a page now is; pages beyond the page count are passed over.
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
