internal import Media

/// Strips metadata from a PNG (PNG, third edition, 5.6 and 11.3). A chunk that is not known to be needed for the
/// picture is removed, and so is everything after the end of the picture.
enum StrippedPNG {
  private static let kept: Set<String> = [
    "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "bKGD", "hIST", "pHYs",
    "acTL", "fcTL", "fdAT",
  ]
  private static let mostExifBytes: Int64 = 1 << 20

  /// The recipe for the file without metadata.
  static func recipe(_ input: FileInput, _ mode: StripMode) throws(DecoderError) -> ContentRecipe {
    var recipe = ContentRecipe()
    recipe.keep(0..<8)
    var at: Int64 = 8
    var hasExif = false
    while let chunk = PNGChunk(input, at: at) {
      let (name, whole) = (chunk.name, chunk.whole)
      at = whole.upperBound
      if kept.contains(name) || name == "tIME" && mode == .location {
        recipe.keep(whole)
      } else if name == "eXIf", !hasExif {
        guard let block = chunk.content(input, most: mostExifBytes) else {
          throw .undecodable("the EXIF is too long")
        }
        hasExif = true
        if let left = StrippedExif.block(of: block, mode) { recipe.put(PNGFile.chunk("eXIf", left)) }
      } else if chunk.isNeeded {
        throw .undecodable("the PNG has chunks of an unknown kind")
      }
      if name == "IEND" {
        guard recipe.pieces.count < ContentRecipe.mostPieces else { break }
        return recipe
      }
    }
    throw .undecodable("the PNG is incomplete")
  }
}
