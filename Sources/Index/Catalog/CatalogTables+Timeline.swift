// The photos and videos of a space by time, from one index of the table, which holds the columns that most queries
// compare.
//
// Invariants
// 1. Rows come newest first, or oldest first; those without a time come last in both directions.

package import Vault

/// The columns of rows in addition to inode, second, directory and number of names. Columns that are not requested are
/// not read.
package struct TimelineColumns: OptionSet, Hashable, Sendable {
  package let rawValue: Int

  /// Sets the bits, which are those of the members.
  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let kind = Self(rawValue: 1 << 0)
  package static let flags = Self(rawValue: 1 << 1)
  package static let rating = Self(rawValue: 1 << 2)
  package static let rights = Self(rawValue: 1 << 3)
  package static let place = Self(rawValue: 1 << 4)
  package static let camera = Self(rawValue: 1 << 5)
  package static let lens = Self(rawValue: 1 << 6)
  package static let size = Self(rawValue: 1 << 7)
  package static let duration = Self(rawValue: 1 << 8)
  package static let position = Self(rawValue: 1 << 9)
  package static let name = Self(rawValue: 1 << 10)
  /// `stack` and `hash`.
  package static let facts = Self(rawValue: 1 << 11)
  package static let fraction = Self(rawValue: 1 << 12)
  /// The column that the SQLite index lacks.
  package static let record = Self(rawValue: 1 << 13)
  package static let all = Self(rawValue: 1 << 14 - 1)

  /// The columns of every row, which come first.
  private static let always = "inode, taken, album, names"
  /// The optional columns, in the order in which rows have them.
  private static let chosen: [(Self, names: [String])] = [
    (.kind, ["kind"]), (.flags, ["flags"]), (.rating, ["rating"]), (.rights, ["rights"]), (.place, ["place"]),
    (.camera, ["camera"]), (.lens, ["lens"]), (.size, ["size"]), (.duration, ["duration"]),
    (.position, ["latitude", "longitude"]), (.name, ["name"]), (.fraction, ["fraction"]),
    (.facts, ["stack", "(SELECT hash FROM media WHERE media.inode = item.inode)"]), (.record, ["record"]),
  ]

  /// The columns of a statement, and their places.
  var selected: (text: String, places: TimelinePlaces) {
    var text = Self.always
    var places = TimelinePlaces()
    var next: Int32 = 4
    for (column, names) in Self.chosen where contains(column) {
      places[column] = next
      next += Int32(names.count)
      for name in names { text += ", " + name }
    }
    return (text, places)
  }
}

/// The places of the columns in a row, by their bits; -1 for columns that are not requested. SQLite fills every column
/// of every row, so rows have only the requested ones.
struct TimelinePlaces {
  private var places = InlineArray<14, Int32>(repeating: -1)

  subscript(column: TimelineColumns) -> Int32 {
    @inline(__always) get { places[column.rawValue.trailingZeroBitCount] }
    set { places[column.rawValue.trailingZeroBitCount] = newValue }
  }
}

/// Statements on `item_time`. Continuing after a place takes two statements, for the rest of its second and for the
/// following seconds: comparing a whole place with every row costs more than reading the row.
final class TimelineStatements {
  let newest, oldest, newestTies, oldestTies, undatedFirst, undatedLast, one: Statement
  let places: TimelinePlaces

  init(_ connection: Connection, _ columns: TimelineColumns) throws(IndexError) {
    let selected = columns.selected
    places = selected.places
    let all = "SELECT \(selected.text) FROM item "
    let select = all + "INDEXED BY item_time WHERE taken "
    let newestFirst = " ORDER BY taken DESC, fraction DESC, inode DESC"
    let oldestFirst = " ORDER BY taken, fraction, inode"
    newest = try connection.prepare(select + "BETWEEN ?1 AND ?2" + newestFirst)
    oldest = try connection.prepare(select + "BETWEEN ?1 AND ?2" + oldestFirst)
    newestTies = try connection.prepare(select + "= ?1 AND (fraction, inode) < (?2, ?3)" + newestFirst)
    oldestTies = try connection.prepare(select + "= ?1 AND (fraction, inode) > (?2, ?3)" + oldestFirst)
    undatedLast = try connection.prepare(select + "IS NULL AND fraction = 0 AND inode < ?1 ORDER BY inode DESC")
    undatedFirst = try connection.prepare(select + "IS NULL AND fraction = 0 AND inode > ?1 ORDER BY inode")
    one = try connection.prepare(all + "WHERE inode = ?1")
  }
}

/// The place of a photo in time.
package struct TimelineKey: Hashable, Sendable {
  /// Seconds of the wall clock since 1970; nil if unknown.
  package var taken: Int64?
  /// Nanoseconds of that second.
  package var fraction: Int64
  /// The file.
  package var inode: InodeNumber

  /// Sets all fields.
  package init(taken: Int64?, fraction: Int64, inode: InodeNumber) {
    self.taken = taken
    self.fraction = fraction
    self.inode = inode
  }
}

/// Photos and videos in the order of time, as a running statement. Only one may be in use at a time.
package struct Timeline: ~Copyable {
  private var statement: Statement
  /// The statement for the rows after those of `statement`.
  private var following: Statement?
  private let places: TimelinePlaces

  init(_ statement: Statement, then following: Statement? = nil, _ places: TimelinePlaces) {
    self.statement = statement
    self.following = following
    self.places = places
  }

  deinit {
    statement.reset()
    following?.reset()
  }

  /// Goes to the next row; false when there is none.
  @inline(__always)
  package mutating func next() throws(IndexError) -> Bool {
    if try statement.step() { return true }
    guard let following else { return false }
    statement.reset()
    statement = following
    self.following = nil
    return try statement.step()
  }

  /// The file.
  package var inode: InodeNumber { statement.inodeNumber(0) }
  /// Seconds of the wall clock since 1970.
  package var taken: Int64? { statement.isNull(1) ? nil : statement.integer(1) }
  /// Nanoseconds of that second.
  package var fraction: Int64 { statement.integer(at(.fraction)) }
  /// The directory of its first name.
  package var album: InodeNumber? { positive(2).map { InodeNumber(rawValue: UInt64($0)) } }
  /// How many names it has.
  package var names: Int64 { statement.integer(3) }
  /// The number of its `MediaKind`.
  package var kind: Int64 { statement.integer(at(.kind)) }
  /// As in `ItemRecord`.
  package var flags: Int64 { statement.integer(at(.flags)) }
  /// As in `ItemRecord`.
  package var rating: Int64? { number(at(.rating)) }
  /// The term of its access rights.
  package var rights: Int64 { statement.integer(at(.rights)) }
  /// The term of its place.
  package var place: Int64? { positive(at(.place)) }
  /// The term of its camera.
  package var camera: Int64? { positive(at(.camera)) }
  /// The term of its lens.
  package var lens: Int64? { positive(at(.lens)) }
  /// The size of the file in bytes.
  package var size: Int64 { statement.integer(at(.size)) }
  /// The duration in milliseconds.
  package var duration: Int64? { number(at(.duration)) }
  /// Degrees north and east, in units of 10⁻⁷.
  package var position: (latitude: Int64, longitude: Int64)? {
    let place = at(.position)
    guard let latitude = number(place), let longitude = number(place + 1) else { return nil }
    return (latitude, longitude)
  }
  /// Its first name.
  package var name: [UInt8] { statement.bytes(at(.name)) }

  /// The file that represents its stack, its cover.
  package var stack: InodeNumber? { positive(at(.facts)).map { InodeNumber(rawValue: UInt64($0)) } }
  /// As in `ItemRecord`.
  package var record: [UInt8] { statement.bytes(at(.record)) }
  /// The keyed hash of its content.
  package var hash: [UInt8]? {
    let place = at(.facts) + 1
    return statement.isNull(place) ? nil : statement.bytes(place)
  }

  /// Its place in time. Requires the column `fraction`.
  package var key: TimelineKey { TimelineKey(taken: taken, fraction: fraction, inode: inode) }

  @inline(__always)
  private func number(_ place: Int32) -> Int64? {
    statement.isNull(place) ? nil : statement.integer(place)
  }

  /// The number of an inode or a term, which is not 0.
  @inline(__always)
  private func positive(_ place: Int32) -> Int64? {
    let number = statement.integer(place)
    return number > 0 ? number : nil
  }

  @inline(__always)
  private func at(_ column: TimelineColumns) -> Int32 {
    let place = places[column]
    assert(place >= 0, "a column is read that was not asked for")
    return place
  }
}

extension CatalogTables {
  /// The most prepared sets of statements, one for each set of columns.
  private static let mostTimelineStatements = 16

  private func timelineStatements(_ columns: TimelineColumns) throws(IndexError) -> TimelineStatements {
    if let prepared = index.preparedTimelineStatements[columns] { return prepared }
    let made = try TimelineStatements(index.connection, columns)
    if index.preparedTimelineStatements.count >= Self.mostTimelineStatements {
      index.preparedTimelineStatements.removeAll()
    }
    index.preparedTimelineStatements[columns] = made
    return made
  }

  /// Photos and videos with a time after a place, and within some seconds of the wall clock.
  package func timeline(
    after key: TimelineKey?, newestFirst: Bool, within seconds: ClosedRange<Int64>, _ columns: TimelineColumns
  ) throws(IndexError) -> Timeline {
    let statements = try timelineStatements(columns)
    let all = newestFirst ? statements.newest : statements.oldest
    guard let key, let taken = key.taken, seconds.contains(taken) else {
      // The place may be before all the seconds or behind them.
      let isBehind = key?.taken.map { newestFirst ? $0 < seconds.lowerBound : $0 > seconds.upperBound } ?? false
      return Timeline(all.bind(isBehind ? 1 : seconds.lowerBound, isBehind ? 0 : seconds.upperBound), statements.places)
    }
    let ties = newestFirst ? statements.newestTies : statements.oldestTies
    ties.bind(taken, key.fraction, key.inode)
    if newestFirst, taken > seconds.lowerBound {
      return Timeline(ties, then: all.bind(seconds.lowerBound, taken - 1), statements.places)
    }
    if !newestFirst, taken < seconds.upperBound {
      return Timeline(ties, then: all.bind(taken + 1, seconds.upperBound), statements.places)
    }
    return Timeline(ties, statements.places)
  }

  /// The row of one photo, as a timeline of one row or none.
  package func timelineRow(_ inode: InodeNumber, _ columns: TimelineColumns) throws(IndexError) -> Timeline {
    let statements = try timelineStatements(columns)
    return Timeline(statements.one.bind(inode), statements.places)
  }

  /// Photos and videos without a time, after an inode number or from the start.
  package func undatedItems(
    after inode: InodeNumber?, highestFirst: Bool, _ columns: TimelineColumns
  ) throws(IndexError) -> Timeline {
    let statements = try timelineStatements(columns)
    if highestFirst {
      let end = inode.map { Int64(bitPattern: $0.rawValue) } ?? .max
      return Timeline(statements.undatedLast.bind(end), statements.places)
    }
    let start = inode.map { Int64(bitPattern: $0.rawValue) } ?? .min
    return Timeline(statements.undatedFirst.bind(start), statements.places)
  }
}
