/// Names that a file may get where others have its own.
package enum FreeNames {
  /// Numbers that are tried.
  package static let most = 9999
  private static let mostBytes = 255

  /// The name with a number: from 2 on `stem (2).ending`, shortened where that is too long. `stem`: how many bytes are the
  /// stem, if the ending begins before the last point, as that of `photo.jpg.xmp`.
  package static func name(_ name: [UInt8], number: Int, stem length: Int? = nil) -> [UInt8] {
    if number < 2 { return name }
    let point = length ?? name.dropFirst().lastIndex(of: 0x2E) ?? name.endIndex
    let mark = Array(" (\(number))".utf8)
    var stem = name[..<point]
    let ending = name[point...].prefix(Self.mostBytes - mark.count - 1)
    // A character of UTF-8 is cut off as a whole.
    while stem.count + mark.count + ending.count > Self.mostBytes, let last = stem.popLast() {
      if last & 0xC0 == 0x80 { while let next = stem.last, next & 0xC0 == 0x80 { stem.removeLast() } }
      if last & 0xC0 == 0x80, let first = stem.last, first & 0xC0 == 0xC0 { stem.removeLast() }
    }
    return stem + mark + ending
  }
}
