/// A PNG that states for which file and time it is, and has no picture.
///
/// tumbler reads the texts, takes it for the thumbnail, and makes none. Who wants to show it finds no pixels in it, and
/// shows the icon of the kind of file, as Thunar does. A transparent picture would be shown.
package enum Placeholder {
  /// Size 1 by 1, 8 bits, red, green, blue and alpha.
  private static let header: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0]

  /// Its bytes, with texts: names and values.
  package static func png(_ text: [(String, String)]) -> [UInt8] {
    let bytes =
      PNGFile.signature + PNGFile.chunk("IHDR", header) + PNGFile.chunk("IDAT", []) + PNGFile.chunk("IEND", [])
    guard var file = PNGFile(bytes, mostSide: 1) else { return [] }
    file.add(text)
    return file.bytes
  }
}
