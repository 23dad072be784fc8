/// Reads the directories of a TIFF file or an EXIF block (TIFF 6.0, section 2). All counts are limited, because any
/// offset may point anywhere.
struct TIFFFile {
  /// A field of a directory.
  struct Entry {
    let type: UInt16
    let count: UInt32
    /// The offset of the values from the start of the source.
    let offset: Int64
  }

  private static let mostDirectories = 40
  private static let mostEntries = 1000

  let source: any ByteSource
  /// The start of the TIFF, from which its offsets count.
  let base: Int64
  let isLittleEndian: Bool
  /// The offset of the first directory from `base`.
  let first: Int64

  /// - Parameter base: the offset of "II" or "MM". The number after it is 42 only in plain TIFF, so it is not checked.
  init?(_ source: any ByteSource, base: Int64 = 0) {
    guard let head = source.exactly(8, at: base), head[0] == head[1], head[0] == 0x49 || head[0] == 0x4d else {
      return nil
    }
    self.source = source
    self.base = base
    isLittleEndian = head[0] == 0x49
    first = Self.number(head[4...], isLittleEndian)
  }

  /// The same file with another base, as in some maker notes.
  init(_ file: TIFFFile, base: Int64, first: Int64, isLittleEndian: Bool? = nil) {
    source = file.source
    self.isLittleEndian = isLittleEndian ?? file.isLittleEndian
    self.base = base
    self.first = first
  }

  /// The directory at an offset from `base`, and the offset of the next directory.
  func directory(at offset: Int64) -> (entries: [UInt16: Entry], next: Int64)? {
    guard offset > 0, let head = source.exactly(2, at: base + offset) else { return nil }
    let count = Int(Self.number(head[...], isLittleEndian))
    guard (1...Self.mostEntries).contains(count),
      let bytes = source.bytes(at: base + offset + 2, count: count * 12 + 4),
      bytes.count >= count * 12
    else { return nil }
    var entries: [UInt16: Entry] = [:]
    for start in stride(from: 0, to: count * 12, by: 12) {
      let field = { (from: Int, length: Int) in
        Self.number(bytes[(start + from)..<(start + from + length)], isLittleEndian)
      }
      let type = UInt16(field(2, 2))
      let isInline = field(4, 4) * Int64(Self.width(of: type)) <= 4
      let place = isInline ? base + offset + 2 + Int64(start) + 8 : base + field(8, 4)
      let tag = UInt16(field(0, 2))
      if entries[tag] == nil { entries[tag] = Entry(type: type, count: UInt32(field(4, 4)), offset: place) }
    }
    let next = bytes.count == count * 12 + 4 ? Self.number(bytes.suffix(4), isLittleEndian) : 0
    return (entries, next)
  }

  /// All directories of pictures: the chain, and those in `SubIFDs`.
  func directories() -> [[UInt16: Entry]] {
    var result: [[UInt16: Entry]] = []
    var waiting = [first]
    var seen: Set<Int64> = []
    while let offset = waiting.popLast(), result.count < Self.mostDirectories {
      guard seen.insert(offset).inserted, let (entries, next) = directory(at: offset) else { continue }
      result.append(entries)
      waiting.append(next)
      waiting += numbers(entries[330], most: 16)
    }
    return result
  }

  /// The integers of a field.
  func numbers(_ entry: Entry?, most: Int = 1) -> [Int64] {
    guard let entry, [1, 3, 4, 7, 13].contains(entry.type) else { return [] }
    let width = Self.width(of: entry.type)
    let count = min(Int(entry.count), most)
    guard let bytes = source.exactly(count * width, at: entry.offset) else { return [] }
    return (0..<count).map { Self.number(bytes[($0 * width)..<(($0 + 1) * width)], isLittleEndian) }
  }

  func number(_ entry: Entry?) -> Int64? { numbers(entry).first }

  /// The fractions of a field as texts, such as "28/10".
  func quotients(_ entry: Entry, most: Int) -> [String]? {
    guard entry.type == 5 || entry.type == 10, entry.count > 0 else { return nil }
    let count = min(Int(entry.count), most)
    guard let bytes = source.exactly(count * 8, at: entry.offset) else { return nil }
    return (0..<count).map { index in
      let halves = [0, 4].map { place in
        let value = Self.number(bytes[(index * 8 + place)..<(index * 8 + place + 4)], isLittleEndian)
        return entry.type == 10 ? Int64(Int32(truncatingIfNeeded: value)) : value
      }
      return "\(halves[0])/\(halves[1])"
    }
  }

  /// The bytes of a field, at most `most`.
  func bytes(_ entry: Entry, most: Int) -> [UInt8]? {
    guard [1, 2, 7].contains(entry.type) else { return nil }
    return source.exactly(min(Int(entry.count), most), at: entry.offset)
  }

  private static func width(of type: UInt16) -> Int {
    switch type {
    case 3, 8: 2
    case 4, 9, 11, 13: 4
    case 5, 10, 12: 8
    default: 1
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>, _ isLittleEndian: Bool) -> Int64 {
    let ordered = isLittleEndian ? Array(bytes.prefix(4).reversed()) : Array(bytes.prefix(4))
    return ordered.reduce(0) { $0 << 8 | Int64($1) }
  }
}
