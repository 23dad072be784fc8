internal import Catalog

/// Puts answers into sections while they come.
struct SnapshotBuilder {
  private let request: SectionsRequest
  private var paths = PackedPaths()
  private var geometry: [UInt8] = []
  private var sections: [Snapshot.Section] = []
  private var months: [Snapshot.Month] = []
  /// The title of what comes; nil where photos themselves say theirs.
  private var group: String?
  /// Whether the next photo begins a section, whatever its title is.
  private var begins = true
  /// The title of the day that was seen last.
  private var recent: (day: UInt16, date: String)?
  var pending = 0
  var isExamining = false

  /// Days from 1900-01-01 to 1970-01-01.
  private static let daysTo1970: Int64 = 25_567

  init(_ request: SectionsRequest) { self.request = request }

  var count: Int { paths.count }

  /// What comes now is in a group of its own; nil where days and months say the groups.
  mutating func beginGroup(_ title: String?) {
    group = title
    begins = true
  }

  /// Adds a photo; false if there is no room. One with no name in the album is left out.
  mutating func add(_ tile: ArraySlice<UInt8>, inode: UInt64, _ path: ArraySlice<UInt8>) -> Bool {
    // Queries name directories without regard to case.
    if let album = request.album {
      let photo = SpacePath(trusted: Array(path))
      guard photo.isBelow(album), !request.query.isEmpty || photo.parent == album else { return true }
    }
    let day = UInt16(tile[tile.startIndex + 6]) | UInt16(tile[tile.startIndex + 7]) << 8
    // Of some only the year or the month is known.
    let kind = tile[tile.startIndex + 5]
    let date = String(date(of: day).prefix(kind & 128 != 0 ? 4 : kind & 64 != 0 ? 7 : 10))
    let title = group ?? ownTitle(date)
    guard paths.append(path, inode: inode) else { return false }
    geometry += tile
    if !begins, let last = sections.last, last.title == title, last.count < Snapshot.mostInSection {
      sections[sections.count - 1].count += 1
    } else {
      sections.append(Snapshot.Section(title: title, first: count - 1, count: 1))
      begins = false
    }
    if request.order == .time, group == nil, case let month = String(date.prefix(7)), months.last?.month != month {
      months.append(Snapshot.Month(month: month, first: count - 1))
    }
    return true
  }

  private func ownTitle(_ date: String) -> String {
    // In another order days come mixed.
    guard request.order == .time else { return "" }
    return switch request.grouping {
    case .day: date
    case .month: String(date.prefix(7))
    case .place, .tag, .none: ""
    }
  }

  private mutating func date(of day: UInt16) -> String {
    if let recent, recent.day == day { return recent.date }
    var text = ""
    if day > 0, let date = CivilDate(daysSince1970: Int64(day) - Self.daysTo1970) {
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      text = "\(date.year)-\(two(date.month))-\(two(date.day))"
    }
    recent = (day, text)
    return text
  }

  consuming func snapshot() -> Snapshot {
    paths.finish()
    return Snapshot(
      paths, geometry, sections, months, pending: pending, isExamining: isExamining, in: request.album ?? .root)
  }
}
