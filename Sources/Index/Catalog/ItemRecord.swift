package import Vault

/// The row of a photo or video in the catalog. Values that queries compare have a column; the rest is in `record`,
/// whose format only the layer above knows.
package struct ItemRecord: Hashable, Sendable {
  /// The file.
  package var inode: InodeNumber
  /// The version of the facts in `found`; 0 if the file was not examined yet.
  package var version: Int64 = 0
  /// The directory of its first name, by directory and bytes; nil without a name.
  package var album: InodeNumber?
  /// That name.
  package var name: [UInt8] = []
  /// How many names it has.
  package var names: Int64 = 0
  /// Seconds of the wall clock since 1970 when it was taken; nil if unknown.
  package var taken: Int64?
  /// Nanoseconds of that second.
  package var fraction: Int64 = 0
  /// The number of a `MediaKind` in the layer above.
  package var kind: Int64 = 0
  /// Bits, by the numbers of the layer above.
  package var flags: Int64 = 0
  /// 1 to 5, or −1; nil if unrated.
  package var rating: Int64?
  /// Bytes of the file.
  package var size: Int64 = 0
  /// The term of its access rights.
  package var rights: Int64 = 0
  /// The term of its town.
  package var place: Int64?
  /// The term of its camera.
  package var camera: Int64?
  /// The term of its lens.
  package var lens: Int64?
  /// The duration in milliseconds.
  package var duration: Int64?
  /// Degrees north, in units of 10⁻⁷.
  package var latitude: Int64?
  /// Degrees east, in units of 10⁻⁷.
  package var longitude: Int64?
  /// 64 bits that are almost equal for pictures that look the same.
  package var look: Int64?
  /// A keyed hash of the decoded pixels.
  package var pixels: [UInt8]?
  /// The file that represents its stack, its cover.
  package var stack: InodeNumber?
  /// The decoder's result for the file.
  package var found: [UInt8] = []
  /// Everything else.
  package var record: [UInt8] = []

  /// A row without any facts.
  package init(inode: InodeNumber) { self.inode = inode }
}

extension ItemRecord {
  /// The columns of `item`, in their order.
  static let columnCount: Int32 = 23

  /// Reads all columns, the first of them `first`.
  init(_ row: Statement, first: Int32 = 0) {
    func number(_ column: Int32) -> Int64? { row.isNull(first + column) ? nil : row.integer(first + column) }
    self.init(inode: row.inodeNumber(first))
    version = row.integer(first + 1)
    album = number(2).map { InodeNumber(rawValue: UInt64(bitPattern: $0)) }
    name = row.bytes(first + 3)
    names = row.integer(first + 4)
    taken = number(5)
    fraction = row.integer(first + 6)
    kind = row.integer(first + 7)
    flags = row.integer(first + 8)
    rating = number(9)
    size = row.integer(first + 10)
    rights = row.integer(first + 11)
    place = number(12)
    camera = number(13)
    lens = number(14)
    duration = number(15)
    latitude = number(16)
    longitude = number(17)
    look = number(18)
    pixels = row.isNull(first + 19) ? nil : row.bytes(first + 19)
    stack = number(20).map { InodeNumber(rawValue: UInt64(bitPattern: $0)) }
    found = row.bytes(first + 21)
    record = row.bytes(first + 22)
  }

  func bind(_ statement: Statement) -> Statement {
    statement.bind(
      inode, version, album, name, names, taken, fraction, kind, flags, rating, size, rights, place, camera, lens,
      duration, latitude, longitude, look, pixels, stack, found, record)
  }
}
