/// Alternative names for a file whose name is taken.
package enum FreeNames {
  /// How many numbers are tried.
  package static let most = 9999
  private static let mostBytes = 255

  /// The name with a number: from 2 on `stem (2).ending`, shortened if that is too long. `stem` is the number of bytes
  /// of the stem, if the ending begins before the last point, as in `photo.jpg.xmp`.
  package static func name(_ name: [UInt8], number: Int, stem length: Int? = nil) -> [UInt8] {
    if number < 2 { return name }
    let point = length ?? name.dropFirst().lastIndex(of: 0x2E) ?? name.endIndex
    let mark = Array(" (\(number))".utf8)
    var stem = name[..<point]
    let ending = name[point...].prefix(Self.mostBytes - mark.count - 1)
    // A UTF-8 character is removed as a whole.
    while stem.count + mark.count + ending.count > Self.mostBytes, let last = stem.popLast() {
      if last & 0xC0 == 0x80 { while let next = stem.last, next & 0xC0 == 0x80 { stem.removeLast() } }
      if last & 0xC0 == 0x80, let first = stem.last, first & 0xC0 == 0xC0 { stem.removeLast() }
    }
    return stem + mark + ending
  }
}
