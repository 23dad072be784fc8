/// Finds the central directory, the list of a zip's entries (APPNOTE 6.3.10, 4.3.14 to 4.3.16).
struct ZipDirectory {
  static let damage = "the list of its entries is damaged"

  /// The range of the central directory.
  let start: Int64
  let end: Int64
  /// The lowest bits of the number of entries, as many as in `countMask`.
  let count: UInt64
  let countMask: UInt64
  /// The number of bytes in front of the archive, such as a program. Offsets do not include it.
  let base: Int64

  /// Finds the directory through the record after it.
  init(_ input: FileInput) throws(ArchiveFailure) {
    let most = Int(min(input.size, 22 + 65_535))
    guard let tail = input.exactly(most, at: input.size - Int64(most)) else {
      throw ArchiveFailure("it cannot be read")
    }
    var found: Int?
    for at in stride(from: tail.count - 22, through: 0, by: -1)
    where tail[at] == 0x50 && tail[at..<(at + 4)].elementsEqual(ZipArchive.end) {
      if at + 22 + Int(tail.number(2, at: at + 20)) <= tail.count {
        found = at
        break
      }
    }
    guard let found else { throw ArchiveFailure("the list of its entries is missing: it may be incomplete") }
    let record = Array(tail[found..<(found + 22)])
    let place = input.size - Int64(tail.count - found)
    var (disks, count, mask) = (record.number(4, at: 4), record.number(2, at: 10), UInt64(0xffff))
    var (size, offset) = (record.number(4, at: 12), record.number(4, at: 16))
    var behind = place
    let isLarge = record.number(2, at: 8) == 0xffff || count == 0xffff || size == 0xffff_ffff || offset == 0xffff_ffff
    if let locator = input.exactly(20, at: place - 20), locator.starts(with: [0x50, 0x4b, 6, 7]) {
      (behind, disks) = (try Self.large(locator, before: place, input), 0)
      guard let large = input.exactly(56, at: behind) else { throw ArchiveFailure(Self.damage) }
      (count, mask) = (large.number(8, at: 32), .max)
      (size, offset) = (large.number(8, at: 40), large.number(8, at: 48))
      disks = large.number(8, at: 16)
    } else if isLarge && disks == 0xffff_ffff {
      throw ArchiveFailure(Self.damage)
    }
    guard disks == 0 else { throw ArchiveFailure("it is one of several parts") }
    guard size <= UInt64(behind), offset <= UInt64(behind) - size else {
      throw ArchiveFailure("the list of its entries is not where it should be: it may be incomplete")
    }
    base = behind - Int64(size) - Int64(offset)
    (start, end) = (behind - Int64(size), behind)
    (self.count, countMask) = (count, mask)
  }

  /// The offset of the Zip64 record: as in its locator, or right before the locator if bytes were put in front.
  private static func large(
    _ locator: [UInt8], before place: Int64, _ input: FileInput
  ) throws(ArchiveFailure) -> Int64 {
    let said = Int64(clamping: locator.number(8, at: 8))
    for at in [said, place - 20 - 56] where at <= place - 20 - 56 {
      if let start = input.exactly(4, at: at), start == [0x50, 0x4b, 6, 6] { return at }
    }
    throw ArchiveFailure(Self.damage)
  }
}

extension [UInt8] {
  /// A little-endian number of `bytes` bytes. The caller checks that they exist.
  func number(_ bytes: Int, at offset: Int) -> UInt64 {
    (0..<bytes).reversed().reduce(0) { $0 << 8 | UInt64(self[offset + $1]) }
  }
}
