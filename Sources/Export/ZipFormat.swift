// The records of a zip archive (APPNOTE.TXT 6.3.10), without compression. Sizes and CRC are known before the data is
// written, so that all readers accept the archive, including those that read it as a stream.

internal import Glibc

struct ZipRecord {
  private static let most32: UInt64 = 0xffff_ffff

  /// The path, with a slash at the end for a directory.
  var path: [UInt8]
  /// The mode in the form of `st_mode`.
  var mode: UInt32
  /// Seconds since 1970.
  var modified: Int64
  var size: UInt64 = 0
  var checksum: UInt32 = 0
  /// The offset of its local header.
  var offset: UInt64 = 0

  private var isDirectory: Bool { path.last == 0x2F }

  /// The local header (4.3.7).
  var localHeader: [UInt8] {
    // A local header must contain both sizes (4.5.3).
    let large: [UInt8] = size >= Self.most32 ? Self.field(0x0001, Self.little(size) + Self.little(size)) : []
    let extra = large + time
    return Self.little(UInt32(0x0403_4b50)) + common(isLarge: !large.isEmpty, extraCount: extra.count) + path + extra
  }

  /// The header in the central directory (4.3.12).
  var centralHeader: [UInt8] {
    var numbers: [UInt8] = []
    if size >= Self.most32 { numbers += Self.little(size) + Self.little(size) }
    if offset >= Self.most32 { numbers += Self.little(offset) }
    let extra = (numbers.isEmpty ? [] : Self.field(0x0001, numbers)) + time
    // Made by version 4.5 on Unix (4.4.2).
    return Self.little(UInt32(0x0201_4b50)) + [45, 3]
      + common(isLarge: !numbers.isEmpty, extraCount: extra.count)
      // No comment, the first disk, no internal attributes.
      + [UInt8](repeating: 0, count: 6)
      + Self.little(mode << 16 | (isDirectory ? 0x10 : 0)) + Self.little(UInt32(min(offset, Self.most32))) + path
      + extra
  }

  /// The fields that both headers share, from the required version to the length of the extra field.
  private func common(isLarge: Bool, extraCount: Int) -> [UInt8] {
    let stored = UInt32(min(size, Self.most32))
    let (date, clock) = Self.wallClock(modified)
    return Self.little(UInt16(isLarge ? 45 : isDirectory ? 20 : 10)) + Self.little(flags) + Self.little(UInt16(0))
      + Self.little(clock) + Self.little(date) + Self.little(checksum) + Self.little(stored) + Self.little(stored)
      + Self.little(UInt16(path.count)) + Self.little(UInt16(extraCount))
  }

  /// Bit 11 marks names in UTF-8 (4.4.4). It is not set for names in an unknown encoding.
  private var flags: UInt16 {
    path.contains { $0 >= 0x80 } && String(validating: path, as: UTF8.self) != nil ? 1 << 11 : 0
  }

  /// The extra field 0x5455 (4.6.1): seconds since 1970 in UTC, if they fit. The header's own time is local, and even.
  private var time: [UInt8] {
    guard let seconds = Int32(exactly: modified) else { return [] }
    return Self.field(0x5455, [1] + Self.little(UInt32(bitPattern: seconds)))
  }

  /// The records at the end (4.3.14 to 4.3.16), after a central directory of `size` bytes at `start`.
  static func end(count: UInt64, start: UInt64, size: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    if count >= 0xffff || start >= most32 || size >= most32 {
      bytes +=
        little(UInt32(0x0606_4b50)) + little(UInt64(44)) + [45, 3, 45, 0] + little(UInt32(0)) + little(UInt32(0))
      bytes += little(count) + little(count) + little(size) + little(start)
      bytes += little(UInt32(0x0706_4b50)) + little(UInt32(0)) + little(start + size) + little(UInt32(1))
    }
    let entries = little(UInt16(min(count, 0xffff)))
    return bytes + little(UInt32(0x0605_4b50)) + [0, 0, 0, 0] + entries + entries + little(UInt32(min(size, most32)))
      + little(UInt32(min(start, most32))) + [0, 0]
  }

  /// The local time in MS-DOS format, from 1980 to 2107 (4.4.6).
  private static func wallClock(_ seconds: Int64) -> (date: UInt16, clock: UInt16) {
    var time = time_t(seconds)
    var parts = unsafe tm()
    guard unsafe localtime_r(&time, &parts) != nil, unsafe parts.tm_year >= 80 else { return (1 << 5 | 1, 0) }
    let year = unsafe Int(parts.tm_year) - 80
    guard year < 128 else { return (127 << 9 | 12 << 5 | 31, 23 << 11 | 59 << 5 | 29) }
    let date = unsafe year << 9 | (Int(parts.tm_mon) + 1) << 5 | Int(parts.tm_mday)
    let clock = unsafe Int(parts.tm_hour) << 11 | Int(parts.tm_min) << 5 | min(Int(parts.tm_sec), 59) / 2
    return (UInt16(date), UInt16(clock))
  }

  private static func field(_ number: UInt16, _ body: [UInt8]) -> [UInt8] {
    little(number) + little(UInt16(body.count)) + body
  }

  static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number($0 * 8)) }
  }
}
