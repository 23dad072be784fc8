// Counts answers in groups: first by the numbers in rows, then by names.
//
// Invariants
// 1. The groups are those of `Grouping`, which gets every answer, or all answers of one number at once.
// 2. Answers come newest first, so the first answer of a group is its newest, and an answer's rank is its position in
//    time.

internal import Catalog
internal import Index
internal import Media
internal import SystemPackage
internal import Vault

struct CatalogTally {
  private struct Count {
    var count: Int
    /// The rank of its first answer.
    var rank: Int
    var newest: InodeNumber
  }

  private let field: GroupField
  private var grouping: Grouping
  private var counts: [Int64: Count] = [:]
  private var rest: Count?
  /// The number of the row before; its count is written back when another number comes.
  private var current: (number: Int64, count: Count)?
  /// The number of answers so far.
  private var rank = 0
  private var tags: TagTally

  init(by field: GroupField) {
    self.field = field
    grouping = Grouping(by: field)
    tags = TagTally(field == .person ? .person : .tag)
  }

  /// The columns that counting by a field reads.
  static func columns(for field: GroupField) -> TimelineColumns {
    switch field {
    case .year, .album: []
    case .place, .region, .country: .place
    case .camera: .camera
    case .lens: .lens
    case .type: .kind
    case .rating: .rating
    case .tag, .person, .day, .month: .flags
    }
  }

  mutating func add(_ row: borrowing Timeline, _ seen: CatalogView.Seen) {
    defer { rank += 1 }
    switch field {
    case .day: count(Self.part(row.taken.map(Self.day), ItemFlags(rawValue: row.flags).precision(recorded: .day)), row)
    case .month:
      let isYear = ItemFlags(rawValue: row.flags).contains(.yearOnly)
      count(Self.part(month(row.taken), isYear ? .year : .day), row)
    case .year: count(month(row.taken).map { $0 / 12 }, row)
    case .place, .region, .country: count(row.place, row)
    case .camera: count(row.camera, row)
    case .lens: count(row.lens, row)
    case .type: count(row.kind, row)
    case .rating: count(row.rating ?? 0, row)
    case .album:
      if let item = seen.several?.item, row.names > 1 {
        // Several names may be in several albums.
        grouping.add(item, times: 1, newest: position(rank, row.inode))
      } else {
        count(row.album.map { Int64(bitPattern: $0.rawValue) }, row)
      }
    case .tag, .person:
      let flag: ItemFlags = field == .tag ? .tags : .people
      if row.flags & flag.rawValue == 0 { count(nil, row) } else { tags.add(row.inode, rank: rank) }
    }
  }

  private mutating func count(_ number: Int64?, _ row: borrowing Timeline) {
    guard let number else {
      rest = rest ?? Count(count: 0, rank: rank, newest: row.inode)
      rest?.count += 1
      return
    }
    if current?.number == number {
      current?.count.count += 1
      return
    }
    putBack()
    var count = counts[number] ?? Count(count: 0, rank: rank, newest: row.inode)
    count.count += 1
    current = (number, count)
  }

  private mutating func putBack() {
    if let (number, count) = current { counts[number] = count }
    current = nil
  }

  /// The month of the last day; most rows have the same.
  private var recentMonth: (day: Int64, month: Int64?)?

  private mutating func month(_ seconds: Int64?) -> Int64? {
    guard let day = seconds.map(Self.day) else { return nil }
    if let recentMonth, recentMonth.day == day { return recentMonth.month }
    let month = CivilDate(daysSince1970: day).map { Int64($0.year * 12 + $0.month - 1) }
    recentMonth = (day, month)
    return month
  }

  /// The number of a day or month, with its precision in the two lowest bits: a date known only in part sorts first.
  private static func part(_ number: Int64?, _ precision: WallTime.Precision) -> Int64? {
    let known: Int64 = precision == .year ? 0 : precision == .month ? 1 : 2
    return number.map { $0 << 2 | known }
  }

  private static func precision(of part: Int64) -> WallTime.Precision {
    part & 3 == 0 ? .year : part & 3 == 1 ? .month : .day
  }

  private static func day(_ seconds: Int64) -> Int64 {
    seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
  }

  /// A position whose standard order is that of the ranks.
  private func position(_ rank: Int, _ inode: InodeNumber) -> SortPosition {
    SortPosition(value: .number(-Int64(rank), 0), inode: inode.rawValue)
  }

  /// Turns the counts into groups, once all answers were counted.
  mutating func groups(_ view: inout CatalogView, _ files: CatalogFiles) throws(Errno) -> [AnswerGroup] {
    putBack()
    // In the order of days in lists, so that little is left to sort.
    let numbered = counts.sorted { $0.key > $1.key }
    counts = [:]
    // Each number sets the same field, so one item serves for all.
    var item = MediaItem(inode: 0, kind: .jpeg)
    for (number, count) in numbered where try describe(number, &item, &view, files) {
      grouping.add(item, times: count.count, newest: position(count.rank, count.newest))
    }
    if let rest {
      grouping.add(MediaItem(inode: 0, kind: .jpeg), times: rest.count, newest: position(rest.rank, rest.newest))
    }
    rest = nil
    if field == .tag || field == .person { try tags.count(files, into: &grouping, field) }
    return grouping.groups()
  }

  /// Sets the field of the photo that the number stands for; false if it stands for nothing.
  private func describe(
    _ number: Int64, _ item: inout MediaItem, _ view: inout CatalogView, _ files: CatalogFiles
  ) throws(Errno) -> Bool {
    switch field {
    case .day: item.taken = Self.time(CivilDate(daysSince1970: number >> 2), Self.precision(of: number))
    case .month:
      let month = Int(number >> 2)
      item.taken = Self.time(CivilDate(year: month / 12, month: month % 12 + 1, day: 1), Self.precision(of: number))
    case .year: item.taken = Self.time(CivilDate(year: Int(number), month: 1, day: 1))
    case .place, .region, .country:
      item.place = try files.result(of: files.index.catalog.text(ofTerm: number)).flatMap { Place(term: $0) }
    case .camera: item.camera.model = try files.result(of: files.index.catalog.text(ofTerm: number))
    case .lens: item.camera.lens = try files.result(of: files.index.catalog.text(ofTerm: number))
    case .type:
      guard let kind = MediaKind(rawValue: UInt8(truncatingIfNeeded: number)) else { return false }
      item.kind = kind
    case .rating: item.words.rating = Int(number)
    case .album:
      guard let folder = try view.folders.folder(InodeNumber(rawValue: UInt64(bitPattern: number)), files) else {
        return false
      }
      item.names = [ItemName(path: folder.path(of: [0x78]))]
    case .tag, .person: break
    }
    return true
  }

  private static func time(_ date: CivilDate?, _ precision: WallTime.Precision = .day) -> CapturedTime? {
    date.flatMap { WallTime(seconds: WallTime(date: $0).seconds, precision: precision) }
      .map { CapturedTime(wall: $0, source: .exif) }
  }
}
