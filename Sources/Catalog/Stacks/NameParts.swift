/// Finds in a file's name which other files it belongs to. ASCII letters are compared without case.
package enum NameParts {
  /// The name with ASCII letters in lower case.
  package static func lowered(_ name: some Sequence<UInt8>) -> [UInt8] {
    name.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
  }

  /// The part before the last dot, in lower case; the whole name without a dot after its first character.
  package static func stem(_ name: [UInt8]) -> [UInt8] {
    let lowered = lowered(name)
    guard let point = lowered.lastIndex(of: UInt8(ascii: ".")), point > 0 else { return lowered }
    return Array(lowered[..<point])
  }

  /// The part after the last dot, in lower case; empty without a dot.
  static func ending(_ name: [UInt8]) -> [UInt8] { Array(lowered(name).dropFirst(stem(name).count + 1)) }

  /// The number in parentheses at the end, which copies get, and the part before it.
  static func index(_ stem: [UInt8]) -> (base: [UInt8], index: Int?) {
    guard stem.last == UInt8(ascii: ")"), let open = stem.lastIndex(of: UInt8(ascii: "(")), open > 0,
      stem.count - open <= 6, let number = Digits.value(stem[(open + 1)..<(stem.count - 1)])
    else { return (stem, nil) }
    return (Array(stem[..<open]), number)
  }

  /// The original's stem, if this is the stem of an edited photo: "x" for "x-edited", "x(1)" for "x-edited(1)".
  package static func original(ofStem stem: [UInt8]) -> [UInt8]? {
    let (base, index) = index(stem)
    guard let original = EditedSuffixes.original(ofStem: base[...]) else { return nil }
    return Array(original) + (index.map { Array("(\($0))".utf8) } ?? [])
  }

  /// "img_1234" for Apple's "img_e1234".
  static func appleOriginal(ofStem stem: [UInt8]) -> [UInt8]? {
    guard stem.count >= 9, stem.starts(with: "img_e".utf8), stem[5...].prefix(4).allSatisfy(Digits.isDigit) else {
      return nil
    }
    return Array("img_".utf8) + stem[5...]
  }

  /// "pxl_20230101_123456789.mp" for "pxl_20230101_123456789.mp~2", the name that phones give to a version saved next
  /// to an original.
  static func phoneOriginal(ofStem stem: [UInt8]) -> [UInt8]? {
    guard let mark = stem.lastIndex(of: UInt8(ascii: "~")), mark > 0, (2...3).contains(stem.count - mark),
      stem[(mark + 1)...].allSatisfy(Digits.isDigit)
    else { return nil }
    return Array(stem[..<mark])
  }

  /// Whether it is the name of the video that Takeout stores next to a motion photo: "x.mp" for "x.mp.jpg", in lower
  /// case.
  static func isMotion(ofName name: [UInt8]) -> Bool { name.count > 3 && name.suffix(3).elementsEqual(".mp".utf8) }

  /// The key that all files of a burst share, and whether this one is the camera's choice.
  static func burst(ofStem stem: [UInt8]) -> (key: [UInt8], isCover: Bool)? {
    let isCover = stem.suffix(6).elementsEqual("_cover".utf8)
    let rest = isCover ? stem.dropLast(6) : stem[...]
    // "00001IMG_00001_BURST20190101123456789_COVER": the digits identify the burst.
    // "IMG_20190101_123456_BURST001_COVER": the part before identifies it.
    guard let digits = rest.lastIndex(where: { !Digits.isDigit($0) }).map({ rest[($0 + 1)...] }),
      rest.dropLast(digits.count).suffix(5).elementsEqual("burst".utf8)
    else { return nil }
    switch digits.count {
    case 14...20: return (Array("burst".utf8) + digits, isCover)
    case 1...4:
      let before = rest.dropLast(digits.count + 5)
      return before.count >= 8 ? (Array(before), isCover) : nil
    default: return nil
    }
  }

  /// "PXL_20210107_123456789" for "PXL_20210107_123456789.RAW-01.COVER" and ".RAW-02.ORIGINAL", and which of the two
  /// it is.
  static func pixelSeries(ofStem stem: [UInt8]) -> (key: [UInt8], isCover: Bool, isOriginal: Bool)? {
    guard stem.starts(with: "pxl_".utf8) else { return nil }
    let parts = stem.split(separator: UInt8(ascii: "."))
    guard parts.count == 3 else { return nil }
    let isCover = parts[2].elementsEqual("cover".utf8)
    let isOriginal = parts[2].elementsEqual("original".utf8)
    return isCover || isOriginal ? (Array(parts[0]), isCover, isOriginal) : nil
  }
}
