/// The facts that a row of the catalog has in single bits. The bits are stored and never change.
package struct ItemFlags: OptionSet, Hashable, Sendable {
  package let rawValue: Int64
  /// Takes the bits as they were stored.
  package init(rawValue: Int64) { self.rawValue = rawValue }

  package static let favourite = ItemFlags(rawValue: 1 << 0)
  package static let motion = ItemFlags(rawValue: 1 << 1)
  package static let duplicate = ItemFlags(rawValue: 1 << 2)
  package static let edited = ItemFlags(rawValue: 1 << 3)
  package static let panorama = ItemFlags(rawValue: 1 << 4)
  package static let cover = ItemFlags(rawValue: 1 << 5)
  package static let stacked = ItemFlags(rawValue: 1 << 6)
  package static let live = ItemFlags(rawValue: 1 << 7)
  package static let burst = ItemFlags(rawValue: 1 << 8)
  package static let title = ItemFlags(rawValue: 1 << 9)
  package static let caption = ItemFlags(rawValue: 1 << 10)
  package static let zone = ItemFlags(rawValue: 1 << 11)
  package static let sidecar = ItemFlags(rawValue: 1 << 12)
  package static let tags = ItemFlags(rawValue: 1 << 13)
  package static let people = ItemFlags(rawValue: 1 << 14)
  package static let altitude = ItemFlags(rawValue: 1 << 15)
  /// It is the cover of its stack.
  package static let stackCover = ItemFlags(rawValue: 1 << 16)
  /// Its only time is that of the file's modification.
  package static let fileTime = ItemFlags(rawValue: 1 << 17)
  /// `sidecar` and `fileTime` are set correctly. Rows by other programs lack this flag; read their records instead.
  package static let isExact = ItemFlags(rawValue: 1 << 18)
  /// Only the month of its time is known. The record then states a day, for programs that do not know months.
  package static let monthOnly = ItemFlags(rawValue: 1 << 19)
  /// Only the year of its time is known, otherwise as `monthOnly`.
  package static let yearOnly = ItemFlags(rawValue: 1 << 20)
  /// It has user-defined fields. As with `sidecar`, this is meaningless without `isExact`.
  package static let fields = ItemFlags(rawValue: 1 << 21)

  /// The flags of a record.
  package init(_ item: MediaItem) {
    self = []
    func set(_ flag: ItemFlags, _ isSet: Bool) { if isSet { insert(flag) } }
    set(.favourite, item.words.isFavourite)
    set(.motion, item.links.motion != nil)
    set(.duplicate, item.links.isDuplicate)
    set(.edited, item.links.isEdited)
    set(.panorama, item.projection != nil)
    set(.cover, item.words.isCover)
    set(.stacked, item.links.stack != nil)
    set(.live, item.links.stack?.kind == .live)
    set(.burst, item.links.stack?.kind == .burst)
    set(.title, item.words.title != nil)
    set(.caption, item.words.caption != nil)
    set(.zone, item.taken?.offset != nil)
    set(.sidecar, item.links.sidecar != nil)
    set(.tags, !item.words.tags.isEmpty)
    set(.people, !item.words.people.isEmpty)
    set(.altitude, item.altitude != nil)
    set(.stackCover, item.links.stack?.isCover == true)
    set(.fileTime, item.taken?.isKnown == false)
    set(.isExact, true)
    set(.monthOnly, item.taken?.wall.precision == .month)
    set(.yearOnly, item.taken?.wall.precision == .year)
    set(.fields, !item.words.fields.isEmpty)
  }

  /// The precision of a row's time; `recorded` is the precision in its record.
  package func precision(recorded: WallTime.Precision) -> WallTime.Precision {
    contains(.yearOnly) ? .year : contains(.monthOnly) ? .month : recorded
  }
}
