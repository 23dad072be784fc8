// The tile that the page draws for a photo before the picture has loaded: shape, colour and inode, straight from the
// photo's row. Its layout is part of the protocol of the door.

internal import Catalog
internal import Index
internal import Media
internal import Vault

/// The shape, colour, kind, day and inode of a photo.
struct CatalogTile {
  /// Bytes of a tile.
  static let count = 16
  /// The columns that a tile reads.
  static let columns: TimelineColumns = [.kind, .flags, .rating, .record]
  /// Days from 1900-01-01 to 1970-01-01.
  private static let daysTo1970: Int64 = 25_567

  /// Little endian: the ratio of width to height in thousandths, or 0; red, green and blue; the kind, plus 16 for a
  /// favourite, 32 for a photo with stars, 64 if only year and month of the date are known, and 128 if only the year
  /// is known; the day since 1900-01-01, or 0; the inode number.
  let bytes: [UInt8]

  /// Makes the tile of a row. A value that makes no sense counts as unknown.
  init(_ row: borrowing Timeline) {
    let packed = PackedRecord(packed: row.record, withSources: false) ?? PackedRecord()
    let flags = ItemFlags(rawValue: row.flags)
    var ratio: UInt16 = 0
    if packed.width > 0, packed.height > 0 {
      ratio = UInt16(min(max((Double(packed.width) * 1000 / Double(packed.height)).rounded(), 1), 65_535))
    }
    var kind: UInt8 =
      switch MediaKind(rawValue: UInt8(truncatingIfNeeded: row.kind)) {
      case nil: 5
      case .raw?: 4
      case let kind? where kind.isVideo: 1
      case _ where flags.contains(.live): 2
      case _ where flags.contains(.motion): 3
      default: 0
      }
    if flags.contains(.favourite) { kind |= 16 }
    if let rating = row.rating, rating > 0 { kind |= 32 }
    if flags.contains(.monthOnly) { kind |= 64 }
    if flags.contains(.yearOnly) { kind |= 128 }
    var day: UInt16 = 0
    if let seconds = row.taken {
      // A day that does not fit into two bytes counts as unknown.
      day = UInt16(exactly: (seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400) + Self.daysTo1970) ?? 0
    }
    let colour = packed.meanColour
    bytes =
      [
        UInt8(truncatingIfNeeded: ratio), UInt8(ratio >> 8), colour?.red ?? 0, colour?.green ?? 0, colour?.blue ?? 0,
        kind, UInt8(truncatingIfNeeded: day), UInt8(day >> 8),
      ] + (0..<8).map { UInt8(truncatingIfNeeded: row.inode.rawValue >> ($0 * 8)) }
  }
}
