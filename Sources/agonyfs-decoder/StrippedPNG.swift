internal import Media

/// A PNG without metadata (PNG, third edition, 5.6 and 11.3). A chunk that is not known to be needed for the picture
/// goes, and so does everything behind the end.
enum StrippedPNG {
  private static let kept: Set<String> = [
    "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "bKGD", "hIST", "pHYs",
    "acTL", "fcTL", "fdAT",
  ]
  private static let mostExifBytes: Int64 = 1 << 20

  /// What is left.
  static func recipe(_ input: FileInput, _ mode: StripMode) throws(DecoderError) -> ContentRecipe {
    var recipe = ContentRecipe()
    recipe.keep(0..<8)
    var at: Int64 = 8
    var hasExif = false
    while let head = input.exactly(8, at: at) {
      let count = head[..<4].reduce(0) { $0 << 8 | Int64($1) }
      let whole = at..<(at + 12 + count)
      guard count <= Int64(Int32.max), whole.upperBound <= input.size else { break }
      at = whole.upperBound
      let name = String(decoding: head[4...], as: UTF8.self)
      if kept.contains(name) || name == "tIME" && mode == .location {
        recipe.keep(whole)
      } else if name == "eXIf", !hasExif {
        guard count <= mostExifBytes, let block = input.exactly(Int(count), at: whole.lowerBound + 8) else {
          throw .undecodable("the EXIF is too long")
        }
        hasExif = true
        if let left = StrippedExif.block(of: block, mode) { recipe.put(PNGFile.chunk("eXIf", left)) }
      } else if head[4] & 0x20 == 0 {
        // It says itself that no picture can be shown without it.
        throw .undecodable("the PNG has chunks of an unknown kind")
      }
      if name == "IEND" {
        guard recipe.pieces.count < ContentRecipe.mostPieces else { break }
        return recipe
      }
    }
    throw .undecodable("the PNG is cut")
  }
}
