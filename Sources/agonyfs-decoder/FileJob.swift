internal import Catalog
internal import Media

/// A job on a file that the daemon sends piece by piece.
struct FileJob {
  private let input: FileInput
  private let start: [UInt8]
  private let kind: MediaKind

  /// Determines the kind of the file from its first bytes.
  init(fileSize: Int64) throws(DecoderError) {
    input = FileInput(size: fileSize, beginning: Channel.beginning())
    guard let start = input.bytes(at: 0, count: Signature.bytes), let kind = Signature.kind(of: start) else {
      throw .notMedia
    }
    self.start = start
    self.kind = kind
  }

  func derive(_ request: DeriveRequest) throws(DecoderError) -> Derivatives {
    let sizes = request.sizes
    var made: Derivatives
    var list: FactList
    if isForLibav {
      (made, list) = try Video(input, kind).derive(sizes)
    } else if kind == .music {
      let cover = try cover()
      if !sizes.isEmpty { cover.admit(whole: false) }
      let (width, height) = cover.size
      let facts = MediaFacts(kind: kind, width: width, height: height, orientation: cover.orientation)
      made = try Picture.derive(cover.range, orientation: cover.turning, sizes, facts)
      list = FactList()
      list.add(.kind(kind), from: .content)
    } else {
      let picture = try PictureFile(input, kind, start: start)
      list = picture.facts
      if !sizes.isEmpty { picture.admit(whole: false) }
      let (width, height) = picture.size
      let facts = MediaFacts(kind: picture.kind, width: width, height: height, orientation: picture.orientation)
      let isEager = request.eagerly && picture.kind.mayLackLarge
      made = try Picture.derive(picture.range, orientation: picture.turning, sizes, eagerly: isEager, facts)
    }
    if let small = made.small { try Picture.addLook(of: small, to: &list) }
    if !sizes.contains(.small) { made.small = nil }
    made.found = list.encoded
    return made
  }

  /// Whether libav reads the file instead of libvips.
  private var isForLibav: Bool { kind.isVideo || kind == .bitmap }

  /// The cover picture of a music file.
  private func cover() throws(DecoderError) -> PictureFile {
    let content = try Picture.cover(InputRange(input))
    let start = Array(content.prefix(Signature.bytes))
    // A music file is shown only if it has a cover.
    guard let kind = Signature.kind(of: start), kind == .jpeg || kind == .png else { throw .notMedia }
    return try PictureFile(FileInput(content: content), kind, start: start)
  }

  /// The facts in the file, and the look of its small derivative. A file that cannot be decoded is still a photo or a
  /// video, and its metadata may be readable.
  func facts(small: [UInt8]) throws(DecoderError) -> FactList {
    var list = FactList()
    do throws(DecoderError) {
      if kind == .music {
        list.add(.kind(kind), from: .content)
      } else {
        list = isForLibav ? try Video(input, kind).facts() : try PictureFile(input, kind, start: start).facts
      }
    } catch {
      switch error {
      case .undecodable, .tooLarge: break
      default: throw error
      }
      if isForLibav {
        list.add(.kind(kind), from: .content)
      } else {
        list = PictureFile(undecodable: input, kind, start: start).facts
      }
    }
    if !small.isEmpty { try Picture.addLook(of: small, to: &list) }
    return list
  }

  /// A JPEG of full size, or with at most `side` pixels on the longer side.
  func full(side: Int? = nil) throws(DecoderError) -> [UInt8] {
    if kind.isVideo { throw .video }
    if kind == .bitmap { return try Video(input, kind).full(side: side) }
    if kind == .music { throw .notMedia }
    let picture = try PictureFile(input, kind, start: start)
    picture.admit(whole: true)
    return try Picture.full(picture.range, orientation: picture.turning, side: side)
  }

  /// The recipe for a copy of the file without metadata.
  func stripped(_ mode: StripMode) throws(DecoderError) -> ContentRecipe {
    let recipe = try stripping(mode)
    guard recipe.pieces.count <= ContentRecipe.mostPieces else { throw .undecodable("it has too many parts") }
    return recipe
  }

  private func stripping(_ mode: StripMode) throws(DecoderError) -> ContentRecipe {
    switch kind {
    case .jpeg: try StrippedJPEG.recipe(input, mode)
    case .png: try StrippedPNG.recipe(input, mode)
    case .webp: try StrippedWebP.recipe(input, mode)
    case .heic, .avif: try StrippedImageBoxes.recipe(input, mode)
    case .mp4, .quickTime, .threeGP: try StrippedMovie.recipe(input, mode)
    default: throw .undecodable("this format cannot be stripped")
    }
  }

  func pixelDigest() throws(DecoderError) -> [UInt8] {
    if kind.isVideo { throw .video }
    if isForLibav || kind == .music { throw .undecodable("the pixels of this format cannot be compared") }
    let picture = try PictureFile(input, kind, start: start)
    // Two raw files with the same preview may differ.
    if picture.kind == .raw { throw .undecodable("it is a raw file") }
    picture.admit(whole: true)
    return try Picture.digest(picture.range)
  }
}
