// Invariants
// 1. Photos keep the order of the catalog, with one exception: in the order of time, the catalog mixes the photos of
//    the first day of a month with those of which only the month or the year is known. These three are separated here.

internal import Catalog

/// Puts photos into sections while they arrive.
struct SnapshotBuilder {
  private let request: SectionsRequest
  private var paths = PackedPaths()
  private var geometry: [UInt8] = []
  private var sections: [Snapshot.Section] = []
  private var months: [Snapshot.Month] = []
  /// The title of the current group; nil if the dates of the photos form the sections.
  private var group: String?
  /// Whether the next photo begins a section, whatever its title.
  private var begins = true
  /// The current day, and the number of its first photo. Photos are put into sections when the day ends.
  private var day: UInt16 = 0
  private var first = 0
  var pending = 0
  var isExamining = false
  /// The inodes of the files that may be chosen; nil if all may.
  var allowed: Set<UInt64>?

  /// The number of days from 1900-01-01 to 1970-01-01.
  private static let daysTo1970: Int64 = 25_567

  init(_ request: SectionsRequest) { self.request = request }

  var count: Int { paths.count }

  /// Begins a group; a nil title lets days and months form the sections.
  mutating func beginGroup(_ title: String?) {
    endDay()
    group = title
    begins = true
  }

  /// Adds a photo; false if the limit of names is reached. A photo outside the requested album is skipped.
  mutating func add(_ tile: ArraySlice<UInt8>, inode: UInt64, _ path: ArraySlice<UInt8>) -> Bool {
    // Checked here as well, because queries ignore the case of directories.
    if let album = request.album {
      let photo = SpacePath(trusted: Array(path))
      guard photo.isBelow(album), !request.query.isEmpty || photo.parent == album else { return true }
    }
    let day = UInt16(tile[tile.startIndex + 6]) | UInt16(tile[tile.startIndex + 7]) << 8
    if day != self.day {
      endDay()
      self.day = day
    }
    guard paths.append(path, inode: inode) else { return false }
    geometry += tile
    if let allowed, !allowed.contains(inode) { geometry[geometry.count - Snapshot.tileBytes + 5] |= Snapshot.refused }
    return true
  }

  private mutating func endDay() {
    let photos = first..<count
    first = count
    guard !photos.isEmpty else { return }
    let date = Self.date(of: day)
    if request.order == .time, group == nil, date.hasSuffix("-01") { sortByKnownPart(photos) }
    for photo in photos { enter(photo, date: String(date.prefix(knownPart(photo)))) }
  }

  /// The length of the known part of the date, in characters: the year, the month or the day.
  private func knownPart(_ photo: Int) -> Int {
    let kind = geometry[photo * Snapshot.tileBytes + 5]
    return kind & 128 != 0 ? 4 : kind & 64 != 0 ? 7 : 10
  }

  /// A year comes before its January, and a month before its first day; in the opposite order if the newest comes
  /// first.
  private mutating func sortByKnownPart(_ photos: Range<Int>) {
    let parts = request.isReversed ? [4, 7, 10] : [10, 7, 4]
    var sorted: [Int] = []
    for part in parts { sorted += photos.filter { knownPart($0) == part } }
    guard !sorted.elementsEqual(photos) else { return }
    paths.reorder(photos, as: sorted)
    let size = Snapshot.tileBytes
    var tiles: [UInt8] = []
    tiles.reserveCapacity(sorted.count * size)
    for photo in sorted { tiles += geometry[photo * size..<(photo + 1) * size] }
    geometry.replaceSubrange(photos.lowerBound * size..<photos.upperBound * size, with: tiles)
  }

  private mutating func enter(_ photo: Int, date: String) {
    let title = group ?? ownTitle(date)
    if !begins, let last = sections.last, last.title == title, last.count < Snapshot.mostInSection {
      sections[sections.count - 1].count += 1
    } else {
      sections.append(Snapshot.Section(title: title, first: photo, count: 1))
      begins = false
    }
    if request.order == .time, group == nil, case let month = String(date.prefix(7)), months.last?.month != month {
      months.append(Snapshot.Month(month: month, first: photo))
    }
  }

  private func ownTitle(_ date: String) -> String {
    // In any other order, the days alternate.
    guard request.order == .time else { return "" }
    return switch request.grouping {
    case .day: date
    case .month: String(date.prefix(7))
    case .place, .tag, .album, .type, .none: ""
    }
  }

  private static func date(of day: UInt16) -> String {
    guard day > 0, let date = CivilDate(daysSince1970: Int64(day) - daysTo1970) else { return "" }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(date.year)-\(two(date.month))-\(two(date.day))"
  }

  consuming func snapshot() -> Snapshot {
    endDay()
    paths.finish()
    return Snapshot(
      paths, geometry, sections, months, pending: pending, isExamining: isExamining, in: request.album ?? .root)
  }
}
