internal import Glibc
internal import Media

/// An entry of the central directory of a zip (APPNOTE 6.3.10, 4.3.12).
struct ZipEntry {
  static let signature: [UInt8] = [0x50, 0x4b, 1, 2]
  /// The number of bytes before the name.
  static let headerBytes = 46

  private static let unixHosts: [UInt8] = [3, 19]
  private static let windowsHosts: [UInt8] = [0, 6, 10, 11, 14]
  /// The version and the host that `ZipRecord` writes.
  private static let ownMaker: [UInt8] = [45, 3]

  let flags: UInt64
  let method: UInt64
  let crc: UInt32
  private(set) var packed: Int64
  private(set) var unpacked: Int64
  /// The offset of the entry's own header, without the bytes in front of the archive.
  private(set) var offset: Int64
  /// The name as stored in both headers.
  let rawName: [UInt8]
  private(set) var kind: ArchiveEntry.Kind
  private(set) var name: [UInt8]
  private(set) var modified: ArchiveEntry.Time?

  var isEncrypted: Bool { flags & 1 != 0 }

  /// Decodes a header, the name and the extra fields.
  init(_ header: [UInt8], name rawName: [UInt8], extra: [UInt8]) throws(ArchiveFailure) {
    flags = header.number(2, at: 8)
    method = header.number(2, at: 10)
    crc = UInt32(header.number(4, at: 16))
    packed = Int64(header.number(4, at: 20))
    unpacked = Int64(header.number(4, at: 24))
    offset = Int64(header.number(4, at: 42))
    self.rawName = rawName
    // The extra fields may replace these.
    name = rawName
    kind = .file
    modified = Self.wallClock(date: header.number(2, at: 14), time: header.number(2, at: 12))
    var isExact = false
    var isUnicode = flags & 0x800 != 0
    var at = 0
    while at + 4 <= extra.count {
      let (number, count) = (extra.number(2, at: at), Int(extra.number(2, at: at + 2)))
      guard at + 4 + count <= extra.count else { break }
      let field = Array(extra[(at + 4)..<(at + 4 + count)])
      switch number {
      case 0x0001: try large(field)
      case 0x000a where count >= 16 && field.number(4, at: 4) == 1 | 24 << 16:
        // Units of 100 ns since 1601.
        let units = Int64(clamping: field.number(8, at: 8))
        modified = ArchiveEntry.Time(
          seconds: units / 10_000_000 - 11_644_473_600, nanoseconds: UInt32(units % 10_000_000) * 100)
        isExact = true
      case 0x5455 where !isExact && count >= 5 && field[0] & 1 != 0:
        modified = ArchiveEntry.Time(seconds: Int64(Int32(truncatingIfNeeded: field.number(4, at: 1))))
      case 0x7075 where count > 5 && field[0] == 1 && UInt32(field.number(4, at: 1)) == checkSum(of: rawName):
        name = Array(field[5...])
        isUnicode = true
      default: break
      }
      at += 4 + count
    }
    // Without the UTF-8 flag, an archive that agonyfs exported has names as raw bytes.
    let isOwn = header[4...5].elementsEqual(Self.ownMaker) && method == 0
    if !isUnicode, !isOwn, String(validating: name, as: UTF8.self) == nil { name = CodePage437.utf8(name) }
    name = Self.withSlashes(name, host: header[5])
    kind = Self.kind(
      UInt32(header.number(4, at: 38)), isUnix: Self.unixHosts.contains(header[5]),
      endsWithSlash: name.last == UInt8(ascii: "/"))
    // A directory has no data. As `other`, the data is not lost without a word.
    if kind == .directory, unpacked > 0 { kind = .other }
  }

  /// Reads the numbers that do not fit into the header, in this order (Zip64).
  private mutating func large(_ field: [UInt8]) throws(ArchiveFailure) {
    var at = 0
    for number in [\ZipEntry.unpacked, \.packed, \.offset] where self[keyPath: number] == 0xffff_ffff {
      guard at + 8 <= field.count, let value = Int64(exactly: field.number(8, at: at)) else {
        throw ArchiveFailure(ZipDirectory.damage)
      }
      self[keyPath: number] = value
      at += 8
    }
  }

  /// Some Windows programs use backslashes as separators. On FAT (0), HPFS (6), NTFS (10, also 11) and VFAT (14), names
  /// cannot contain a backslash. On other systems except Unix, a backslash separates if the name has no slash.
  private static func withSlashes(_ name: [UInt8], host: UInt8) -> [UInt8] {
    let (slash, backslash) = (UInt8(ascii: "/"), UInt8(ascii: "\\"))
    if unixHosts.contains(host) || !windowsHosts.contains(host) && name.contains(slash) { return name }
    return name.map { $0 == backslash ? slash : $0 }
  }

  private static func kind(_ attributes: UInt32, isUnix: Bool, endsWithSlash: Bool) -> ArchiveEntry.Kind {
    switch isUnix ? attributes >> 16 & UInt32(S_IFMT) : 0 {
    case UInt32(S_IFLNK): .symbolicLink
    case UInt32(S_IFDIR): .directory
    case UInt32(S_IFREG): endsWithSlash ? .directory : .file
    case 0: endsWithSlash || attributes & 0x10 != 0 ? .directory : .file
    default: .other
    }
  }

  /// Decodes an MS-DOS time, which counts years from 1980 and has a resolution of 2 seconds.
  private static func wallClock(date: UInt64, time: UInt64) -> ArchiveEntry.Time? {
    let (month, day) = (date >> 5 & 15, date & 31)
    guard (1...12).contains(month), day > 0 else { return nil }
    // Days since 1970, in years that begin with March.
    let year = Int64(1980 + date >> 9) - (month < 3 ? 1 : 0)
    let days = 365 * year + year / 4 - year / 100 + year / 400 + Int64(153 * ((month + 9) % 12) + 2) / 5 + Int64(day)
    let seconds = Int64((time >> 11) * 3600 + (time >> 5 & 63) * 60 + (time & 31) * 2)
    return ArchiveEntry.Time(seconds: (days - 719_469) * 86_400 + seconds, isWallClock: true)
  }
}
