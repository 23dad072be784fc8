internal import Albums
internal import Catalog
internal import Index
internal import System
internal import SystemPackage
internal import Vault

/// A way through photos and videos in the order of time, which may be left and taken up again at any place.
struct CatalogWalk {
  let newestFirst: Bool
  /// Seconds of the wall clock that count; what has no time is passed over unless this is everything.
  let within: ClosedRange<Int64>
  private let columns: TimelineColumns
  private var isAmongDated = true
  private var place: TimelineKey?
  private(set) var isAtEnd = false
  /// The only photos that are looked at, the last one first; nil for all.
  private var few: [TimelineKey]?

  static let always = Int64.min...Int64.max
  /// Nanoseconds after which others have their turn, however slowly a question is answered.
  private static let longestHold: UInt64 = 30_000_000

  /// From the beginning, or after a place.
  init(
    newestFirst: Bool = true, within: ClosedRange<Int64> = always, after position: SortPosition? = nil,
    _ columns: TimelineColumns = []
  ) {
    self.newestFirst = newestFirst
    self.within = within
    self.columns = columns
    guard let position else { return }
    let inode = InodeNumber(rawValue: position.inode)
    if case .number(let seconds, let fraction) = position.value {
      place = TimelineKey(taken: seconds, fraction: Int64(fraction), inode: inode)
    } else {
      isAmongDated = false
      place = TimelineKey(taken: nil, fraction: 0, inode: inode)
    }
  }

  /// From now on looks at some photos only, which are few.
  mutating func restrict(to photos: [TimelineKey]) {
    let ahead = photos.filter { photo in
      guard let place else { return true }
      return precedes(place, photo)
    }
    few = ahead.sorted { precedes($1, $0) }
  }

  /// Whether one place is passed before another one.
  private func precedes(_ one: TimelineKey, _ other: TimelineKey) -> Bool {
    guard let taken = one.taken else {
      return other.taken == nil && (newestFirst ? other.inode < one.inode : one.inode < other.inode)
    }
    guard let otherTaken = other.taken else { return true }
    let (first, second) = (
      (taken, one.fraction, one.inode.rawValue), (otherTaken, other.fraction, other.inode.rawValue)
    )
    return newestFirst ? second < first : first < second
  }

  /// Goes on by some rows at most, until `body` returns false or the lock was held for long.
  mutating func advance(
    by limit: Int, _ files: borrowing LockedFileSystem, _ body: (borrowing Timeline) throws(Errno) -> Bool
  ) throws(Errno) {
    let end = monotonicTime() + Self.longestHold
    if few != nil { return try advanceAmongFew(by: limit, until: end, files, body) }
    var left = limit
    while left > 0, !isAtEnd {
      var timeline: Timeline
      do throws(IndexError) {
        timeline =
          isAmongDated
          ? try files.index.catalog.timeline(after: place, newestFirst: newestFirst, within: within, columns)
          : try files.index.catalog.undatedItems(after: place?.inode, highestFirst: newestFirst, columns)
      } catch {
        throw files.failed(error)
      }
      while try Self.next(&timeline, files) {
        left -= 1
        guard try body(timeline), left > 0, left & 15 != 0 || monotonicTime() < end else {
          return try leave(at: timeline, files)
        }
      }
      if isAmongDated, within == Self.always {
        isAmongDated = false
        place = nil
      } else {
        isAtEnd = true
      }
    }
  }

  /// Notes where to go on.
  private mutating func leave(at row: borrowing Timeline, _ files: borrowing LockedFileSystem) throws(Errno) {
    var whole = try Self.row(of: row.inode, .fraction, files)
    if try Self.next(&whole, files) { place = whole.key }
  }

  private mutating func advanceAmongFew(
    by limit: Int, until end: UInt64, _ files: borrowing LockedFileSystem,
    _ body: (borrowing Timeline) throws(Errno) -> Bool
  ) throws(Errno) {
    for count in 1...max(limit, 1) {
      guard let key = few?.popLast() else {
        isAtEnd = true
        return
      }
      var row = try Self.row(of: key.inode, columns.union(.fraction), files)
      // What changed its place meanwhile is passed over, as it is where all are looked at.
      guard try Self.next(&row, files), row.key == key else { continue }
      if let taken = key.taken, !within.contains(taken) { continue }
      guard try body(row), count & 15 != 0 || monotonicTime() < end else { return }
    }
  }

  /// The row of one photo, before its first step.
  static func row(
    of inode: InodeNumber, _ columns: TimelineColumns, _ files: borrowing LockedFileSystem
  ) throws(Errno) -> Timeline {
    do throws(IndexError) { return try files.index.catalog.timelineRow(inode, columns) } catch {
      throw files.failed(error)
    }
  }

  /// Goes to the next row; false when there is none.
  @inline(__always)
  static func next(_ timeline: inout Timeline, _ files: borrowing LockedFileSystem) throws(Errno) -> Bool {
    do throws(IndexError) { return try timeline.next() } catch { throw files.failed(error) }
  }
}
