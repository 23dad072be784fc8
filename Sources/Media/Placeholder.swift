/// A PNG that states its file and time, but lacks a picture.
///
/// tumbler reads the texts, accepts it as the thumbnail, and does not make one. A program that wants to show it finds
/// no pixels and shows the icon of the file's type, as Thunar does. A transparent picture would be shown as such.
package enum Placeholder {
  /// Size 1 by 1, 8 bits, red, green, blue and alpha.
  private static let header: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0]

  /// The PNG's bytes, with texts: names and values.
  package static func png(_ text: [(String, String)]) -> [UInt8] {
    let bytes =
      PNGFile.signature + PNGFile.chunk("IHDR", header) + PNGFile.chunk("IDAT", []) + PNGFile.chunk("IEND", [])
    guard var file = PNGFile(bytes, mostSide: 1) else { return [] }
    file.add(text)
    return file.bytes
  }
}
