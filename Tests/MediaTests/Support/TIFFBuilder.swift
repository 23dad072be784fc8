/// Makes TIFFs: EXIF blocks, and raw files around a JPEG.
struct TIFFBuilder {
  indirect enum Field: Sendable {
    case short(UInt16)
    case long(UInt32)
    case ascii(String)
    case fractions([(UInt32, UInt32)])
    /// Fractions of a type that has signs.
    case signedFractions([(Int32, Int32)])
    /// Bytes of a type that has no structure here.
    case undefined([UInt8])
    /// The place of bytes that are laid behind the directory.
    case place(of: [UInt8])
    /// The place of another directory.
    case directory([(UInt16, Field)])
  }

  var isLittleEndian = true
  /// What stands behind "II" or "MM".
  var number: UInt16 = 42
  /// What stands between the header and the first directory.
  var gap: [UInt8] = []

  /// A TIFF of these directories, one after the other.
  func file(_ directories: [[(UInt16, Field)]]) -> [UInt8] {
    let first = 8 + gap.count
    var bytes =
      (isLittleEndian ? [0x49, 0x49] : [0x4d, 0x4d]) + ordered(UInt64(number), 2) + ordered(UInt64(first), 4) + gap
    for (index, fields) in directories.enumerated() {
      bytes += directory(fields, at: bytes.count, hasNext: index + 1 < directories.count)
    }
    return bytes
  }

  /// A directory with all that it names, for that place.
  func directory(_ fields: [(UInt16, Field)], at start: Int, hasNext: Bool = false) -> [UInt8] {
    var entries: [UInt8] = []
    var behind: [UInt8] = []
    let dataStart = start + 2 + fields.count * 12 + 4
    for (tag, field) in fields.sorted(by: { $0.0 < $1.0 }) {
      let place = dataStart + behind.count
      let (type, count, value): (UInt64, Int, [UInt8])
      switch field {
      case .short(let number): (type, count, value) = (3, 1, ordered(UInt64(number), 2))
      case .long(let number): (type, count, value) = (4, 1, ordered(UInt64(number), 4))
      case .ascii(let text): (type, count, value) = (2, text.utf8.count + 1, Array(text.utf8) + [0])
      case .fractions(let list):
        (type, count, value) = (5, list.count, list.flatMap { ordered(UInt64($0.0), 4) + ordered(UInt64($0.1), 4) })
      case .signedFractions(let list):
        let halves = list.flatMap { [UInt32(bitPattern: $0.0), UInt32(bitPattern: $0.1)] }
        (type, count, value) = (10, list.count, halves.flatMap { ordered(UInt64($0), 4) })
      case .undefined(let bytes): (type, count, value) = (7, bytes.count, bytes)
      case .place(let bytes):
        (type, count, value) = (4, 1, ordered(UInt64(place), 4))
        behind += bytes
      case .directory(let inner):
        (type, count, value) = (4, 1, ordered(UInt64(place), 4))
        behind += directory(inner, at: place)
      }
      entries += ordered(UInt64(tag), 2) + ordered(type, 2) + ordered(UInt64(count), 4)
      if value.count <= 4 {
        entries += value + [UInt8](repeating: 0, count: 4 - value.count)
      } else {
        entries += ordered(UInt64(dataStart + behind.count), 4)
        behind += value
      }
    }
    let next = hasNext ? dataStart + behind.count : 0
    return ordered(UInt64(fields.count), 2) + entries + ordered(UInt64(next), 4) + behind
  }

  private func ordered(_ value: UInt64, _ count: Int) -> [UInt8] {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    return isLittleEndian ? bytes : bytes.reversed()
  }

  /// The directories of a camera's EXIF.
  static func camera(orientation: UInt16 = 1) -> [(UInt16, Field)] {
    [
      (271, .ascii("Agony")), (272, .ascii("Model 7  ")), (274, .short(orientation)),
      (
        34665,
        .directory([(36867, .ascii("2024:05:06 07:08:09")), (36881, .ascii("+02:00"))])
      ),
      (
        34853,
        .directory([
          (1, .ascii("S")), (2, .fractions([(33, 1), (51, 1), (3540, 100)])), (3, .ascii("E")),
          (4, .fractions([(151, 1), (12, 1), (4080, 100)])),
        ])
      ),
    ]
  }
}

extension [UInt8] {
  /// A JPEG with application segments behind its start.
  func adding(segments: [(marker: UInt8, body: [UInt8])]) -> [UInt8] {
    let added = segments.flatMap { segment -> [UInt8] in
      let count = segment.body.count + 2
      return [0xff, segment.marker, UInt8(count >> 8), UInt8(count & 255)] + segment.body
    }
    return Array(self[..<2] + added + self[2...])
  }

  /// A JPEG with an EXIF block.
  func adding(exif: [UInt8]) -> [UInt8] { adding(segments: [(0xe1, Array("Exif\0\0".utf8) + exif)]) }
}
