/// What a row of the catalog says in single bits. The bits are stored and never change.
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
  /// It stands for its stack.
  package static let stackCover = ItemFlags(rawValue: 1 << 16)
  /// Its time is only when the file was modified.
  package static let fileTime = ItemFlags(rawValue: 1 << 17)
  /// `sidecar` and `fileTime` say what is so. Other programs write rows without this, where only the record says it.
  package static let isExact = ItemFlags(rawValue: 1 << 18)
  /// Of its time only the month is known. The record says a day then, which programs read that know no months.
  package static let monthOnly = ItemFlags(rawValue: 1 << 19)
  /// As above, but the year.
  package static let yearOnly = ItemFlags(rawValue: 1 << 20)
  /// It has fields of the user's own. As with `sidecar`, it says nothing without `isExact`.
  package static let fields = ItemFlags(rawValue: 1 << 21)

  /// The bits of a record.
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

  /// How exact the time of a row is, whose record says `recorded`.
  package func precision(recorded: WallTime.Precision) -> WallTime.Precision {
    contains(.yearOnly) ? .year : contains(.monthOnly) ? .month : recorded
  }
}
