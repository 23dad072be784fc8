// The EXIF of a file that is exported without its location or without all metadata. The block is rebuilt from fields
// that are known to be harmless, so that no maker note, unknown field or gap is copied (CIPA DC-008, Exif 2.32).

internal import Media

/// Builds EXIF without the fields that are stripped.
enum StrippedExif {
  /// The fields of the first directory that do not reveal a place: camera, program, times, rights, resolution.
  private static let main: Set<UInt16> = [271, 272, 274, 282, 283, 296, 305, 306, 315, 33432, 531]
  /// The same for the second directory: exposure, times, colour space, size, lens.
  private static let details: Set<UInt16> = [
    33434, 33437, 34850, 34855, 34864, 34865, 34866, 36864, 36867, 36868, 37121, 37122, 37377,
    37378, 37379, 37380, 37381, 37382, 37383, 37384, 37385, 37386, 37520, 37521, 37522, 40960, 40961, 40962, 40963,
    41486, 41487, 41488, 41495, 41728, 41729, 41730, 41985, 41986, 41987, 41988, 41989, 41990, 41991, 41992, 41993,
    41994, 41996, 42034, 42035, 42036,
  ]
  private static let orientation: UInt16 = 274
  private static let detailsPointer: UInt16 = 34665
  /// The maximum size of a copied value.
  private static let mostBytes = 1024

  private struct Field {
    var tag: UInt16
    var type: UInt16
    var count: UInt32
    var value: [UInt8]
  }

  /// Builds a block without the prefix "Exif\0\0"; nil if no field is left.
  ///
  /// - Parameter block: the block in the file, with or without the prefix.
  static func block(of block: [UInt8], _ mode: StripMode) -> [UInt8]? {
    let isNamed = block.starts(with: Array("Exif\0\0".utf8))
    guard let file = TIFFFile(MemoryBytes(content: block), base: isNamed ? 6 : 0),
      let (entries, _) = file.directory(at: file.first)
    else { return nil }
    var first = fields(file, entries, mode == .all ? [orientation] : main)
    // Upright is the default.
    if mode == .all, file.number(entries[orientation]) == 1 { first = [] }
    var second: [Field] = []
    if mode == .location, let place = file.number(entries[detailsPointer]), let inner = file.directory(at: place) {
      second = fields(file, inner.entries, details)
    }
    if first.isEmpty, second.isEmpty { return nil }
    return written(first, second, isLittle: file.isLittleEndian)
  }

  private static func fields(_ file: TIFFFile, _ entries: [UInt16: TIFFFile.Entry], _ known: Set<UInt16>) -> [Field] {
    known.sorted().compactMap { tag in
      guard let entry = entries[tag], let width = width(of: entry.type), entry.count > 0,
        Int64(entry.count) * Int64(width) <= Int64(mostBytes),
        let value = file.source.exactly(Int(entry.count) * width, at: entry.offset)
      else { return nil }
      return Field(tag: tag, type: entry.type, count: entry.count, value: value)
    }
  }

  private static func width(of type: UInt16) -> Int? {
    switch type {
    case 1, 2, 6, 7: 1
    case 3, 8: 2
    case 4, 9, 11: 4
    case 5, 10, 12: 8
    default: nil
    }
  }

  private static func written(_ first: [Field], _ second: [Field], isLittle: Bool) -> [UInt8] {
    func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      let little = (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number($0 * 8)) }
      return isLittle ? little : little.reversed()
    }
    func directory(_ fields: [Field], at start: Int) -> [UInt8] {
      var head = bytes(UInt16(fields.count))
      var values: [UInt8] = []
      let behind = start + 2 + fields.count * 12 + 4
      for field in fields {
        head += bytes(field.tag) + bytes(field.type) + bytes(field.count)
        if field.value.count <= 4 {
          head += field.value + [UInt8](repeating: 0, count: 4 - field.value.count)
        } else {
          head += bytes(UInt32(behind + values.count))
          values += field.value
          // Values begin at even offsets (TIFF 6.0, section 2).
          if values.count % 2 == 1 { values.append(0) }
        }
      }
      return head + bytes(UInt32(0)) + values
    }
    let head = (isLittle ? [0x49, 0x49] : [0x4d, 0x4d]) + bytes(UInt16(42)) + bytes(UInt32(8))
    if second.isEmpty { return head + directory(first, at: 8) }
    let pointer = { (place: Int) in
      Field(tag: detailsPointer, type: 4, count: 1, value: bytes(UInt32(place)))
    }
    let place = 8 + directory(first + [pointer(0)], at: 8).count
    let both = (first + [pointer(place)]).sorted { $0.tag < $1.tag }
    return head + directory(both, at: 8) + directory(second, at: place)
  }
}
