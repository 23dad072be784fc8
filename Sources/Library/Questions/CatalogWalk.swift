internal import Catalog
internal import Index
internal import SystemPackage
internal import Vault

/// A walk through photos and videos in the order of time.
struct CatalogWalk {
  let newestFirst: Bool
  /// Only seconds of the wall clock in this range count; unless it is everything, photos without a time are left out.
  let within: ClosedRange<Int64>
  private let columns: TimelineColumns
  /// The walk begins after this place; nil at the beginning of the dated photos, or of the undated ones.
  private var place: TimelineKey?
  private var isAmongDated = true
  /// The only photos that the walk looks at, in order; nil for all.
  private var few: [TimelineKey]?

  static let always = Int64.min...Int64.max

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

  /// Restricts the walk to a few photos.
  mutating func restrict(to photos: [TimelineKey]) {
    let ahead = photos.filter { photo in
      guard let place else { return true }
      return precedes(place, photo)
    }
    few = ahead.sorted { precedes($0, $1) }
  }

  /// Whether the walk passes one place before another.
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

  /// Calls `body` for each photo, until it returns false.
  func forEach(
    _ files: CatalogFiles, _ body: (borrowing Timeline) throws(Errno) -> Bool
  ) throws(Errno) {
    if let few { return try forEach(of: few, files, body) }
    for isDated in [true, false] where isDated ? isAmongDated : within == Self.always {
      var timeline: Timeline
      do throws(IndexError) {
        timeline =
          isDated
          ? try files.index.catalog.timeline(after: place, newestFirst: newestFirst, within: within, columns)
          : try files.index.catalog.undatedItems(
            after: isAmongDated ? nil : place?.inode, highestFirst: newestFirst, columns)
      } catch {
        throw files.failed(error)
      }
      while try Self.next(&timeline, files) {
        guard try body(timeline) else { return }
      }
    }
  }

  private func forEach(
    of few: [TimelineKey], _ files: CatalogFiles, _ body: (borrowing Timeline) throws(Errno) -> Bool
  ) throws(Errno) {
    for key in few {
      if let taken = key.taken, !within.contains(taken) { continue }
      var row = try Self.row(of: key.inode, columns, files)
      guard try Self.next(&row, files) else { continue }
      guard try body(row) else { return }
    }
  }

  /// The row of one photo; call `next` before reading it.
  static func row(
    of inode: InodeNumber, _ columns: TimelineColumns, _ files: CatalogFiles
  ) throws(Errno) -> Timeline {
    do throws(IndexError) { return try files.index.catalog.timelineRow(inode, columns) } catch {
      throw files.failed(error)
    }
  }

  /// Moves to the next row; false if there are no more.
  @inline(__always)
  static func next(_ timeline: inout Timeline, _ files: CatalogFiles) throws(Errno) -> Bool {
    do throws(IndexError) { return try timeline.next() } catch { throw files.failed(error) }
  }
}
