internal import Media

/// Strips metadata from an MP4 or QuickTime file (ISO/IEC 14496-12; QuickTime File Format). The bytes of pictures and
/// sound stay unchanged. *Not:* metadata inside the coded pictures.
///
/// 1. A box that is not known to be needed for playback becomes zeros. So does a track that is neither picture nor
///    sound, with all its data, because cameras store positions there.
/// 2. Only data to which the tables of kept tracks refer is kept.
enum StrippedMovie {
  private static let inMovie: Set<String> = ["iods"]
  private static let inTrack: Set<String> = ["edts", "tapt", "clip", "matt", "load"]
  private static let inInformation: Set<String> = ["vmhd", "smhd", "gmhd"]
  private static let inTables: Set<String> = [
    "stsd", "stts", "ctts", "cslg", "stsc", "stsz", "stz2", "stco", "co64", "stss", "stps", "sdtp", "sbgp", "sgpd",
  ]
  private static let unknown: Set<String> = ["moof", "mvex", "cmov", "sinf", "mfra", "sidx", "styp"]

  /// The recipe for the file without metadata.
  static func recipe(_ input: FileInput, _ mode: StripMode) throws(DecoderError) -> ContentRecipe {
    var rewriter = BoxRewriter(input)
    let top = try rewriter.boxes(in: 0..<input.size, isFile: true)
    guard !top.contains(where: { unknown.contains($0.type) }), top.count(where: { $0.type == "moov" }) == 1,
      let movie = top.first(where: { $0.type == "moov" })
    else { throw .undecodable("the video is in fragments, or has no table of contents") }
    let tracks = try rewriter.boxes(in: movie.content).filter { $0.type == "trak" }
    let shown = try shown(tracks, rewriter)
    var (kept, gone): ([Range<Int64>], [Range<Int64>]) = ([], [])
    for track in tracks {
      if shown.contains(track.whole.lowerBound) {
        kept += try SampleRanges.of(track, rewriter)
      } else if let ranges = try? SampleRanges.of(track, rewriter) {
        gone += ranges
      }
    }
    if BoxRewriter.overlap(kept, gone) { throw .undecodable("tracks of the video share data") }
    let parts = kept.map { BoxRewriter.Part(range: $0, bytes: nil) }
    let data = try BoxRewriter.distribute(parts, to: top.filter { $0.type == "mdat" })
    for box in BoxRewriter.withoutEnd(top, ["ftyp", "mdat", "moov"]) {
      switch box.type {
      case "ftyp": rewriter.keep(box.whole)
      case "moov": try write(movie: box, mode, shown, to: &rewriter)
      case "mdat": rewriter.keep(box, only: data[box.whole.lowerBound] ?? [])
      default: rewriter.blank(box)
      }
    }
    return rewriter.recipe
  }

  /// Codecs whose frames are complete picture files, which may contain EXIF and comments.
  private static let pictureFiles: Set<String> = ["jpeg", "mjpa", "mjpb", "dmb1", "AVDJ", "png ", "mjp2", "tiff"]

  /// The offsets of the tracks to keep: sound, and pictures without metadata.
  private static func shown(_ tracks: [BoxRewriter.Box], _ rewriter: BoxRewriter) throws(DecoderError) -> Set<Int64> {
    var shown: Set<Int64> = []
    var (hasPictures, hasFiles) = (false, false)
    for track in tracks {
      guard let kind = try kind(track, rewriter) else { continue }
      var isOfFiles = false
      if kind == "vide" { isOfFiles = !(try codings(track, rewriter).isDisjoint(with: pictureFiles)) }
      if isOfFiles { hasFiles = true } else { shown.insert(track.whole.lowerBound) }
      if kind == "vide", !isOfFiles { hasPictures = true }
    }
    guard hasPictures || !hasFiles else { throw .undecodable("its pictures are files with their own metadata") }
    return shown
  }

  /// The codecs of a track (8.5.2).
  private static func codings(_ track: BoxRewriter.Box, _ rewriter: BoxRewriter) throws(DecoderError) -> Set<String> {
    var box = track
    for type in ["mdia", "minf", "stbl", "stsd"] {
      guard let inner = try rewriter.boxes(in: box.content).first(where: { $0.type == type }) else {
        throw .undecodable("a track of the video is damaged")
      }
      box = inner
    }
    guard box.content.count >= 8 else { throw .undecodable("a track of the video is damaged") }
    let entries = try rewriter.boxes(in: (box.content.lowerBound + 8)..<box.content.upperBound)
    return Set(entries.map(\.type))
  }

  /// The handler type of a track; nil if the track is neither picture nor sound.
  private static func kind(_ track: BoxRewriter.Box, _ rewriter: BoxRewriter) throws(DecoderError) -> String? {
    guard let media = try rewriter.boxes(in: track.content).first(where: { $0.type == "mdia" }),
      let handler = try rewriter.boxes(in: media.content).first(where: { $0.type == "hdlr" })
    else { throw .undecodable("a track of the video is damaged") }
    let bytes = try rewriter.content(handler)
    guard bytes.count >= 12 else { throw .undecodable("a track of the video is damaged") }
    let kind = String(decoding: bytes[8..<12], as: Unicode.ASCII.self)
    return ["vide", "soun"].contains(kind) ? kind : nil
  }

  private static func write(
    movie: BoxRewriter.Box, _ mode: StripMode, _ shown: Set<Int64>, to rewriter: inout BoxRewriter
  ) throws(DecoderError) {
    try each(movie, &rewriter) { (box, rewriter) throws(DecoderError) in
      switch box.type {
      case "mvhd": try keepTimed(box, mode, &rewriter)
      case "trak" where shown.contains(box.whole.lowerBound): try write(track: box, mode, to: &rewriter)
      case let type where unknown.contains(type): throw .undecodable("the video is in fragments")
      case let type where inMovie.contains(type): rewriter.keep(box.whole)
      default: rewriter.blank(box)
      }
    }
  }

  private static func write(
    track: BoxRewriter.Box, _ mode: StripMode, to rewriter: inout BoxRewriter
  ) throws(DecoderError) {
    try each(track, &rewriter) { (box, rewriter) throws(DecoderError) in
      switch box.type {
      case "tkhd": try keepTimed(box, mode, &rewriter)
      case "mdia":
        try each(box, &rewriter) { (box, rewriter) throws(DecoderError) in
          switch box.type {
          case "mdhd": try keepTimed(box, mode, &rewriter)
          case "hdlr": keepUnnamed(box, &rewriter)
          case "minf": try write(information: box, to: &rewriter)
          default: rewriter.blank(box)
          }
        }
      case let type where inTrack.contains(type): rewriter.keep(box.whole)
      default: rewriter.blank(box)
      }
    }
  }

  private static func write(
    information: BoxRewriter.Box, to rewriter: inout BoxRewriter
  ) throws(DecoderError) {
    try each(information, &rewriter) { (box, rewriter) throws(DecoderError) in
      switch box.type {
      case "hdlr": keepUnnamed(box, &rewriter)
      case "dinf":
        try checkReferences(box, rewriter)
        rewriter.keep(box.whole)
      case "stbl":
        try each(box, &rewriter) { (box, rewriter) throws(DecoderError) in
          if inTables.contains(box.type) { rewriter.keep(box.whole) } else { rewriter.blank(box) }
        }
      case let type where inInformation.contains(type): rewriter.keep(box.whole)
      default: rewriter.blank(box)
      }
    }
  }

  /// Writes the boxes in a box with `body`, and zeros for the bytes after the last one.
  private static func each(
    _ box: BoxRewriter.Box, _ rewriter: inout BoxRewriter,
    _ body: (BoxRewriter.Box, inout BoxRewriter) throws(DecoderError) -> Void
  ) throws(DecoderError) {
    rewriter.keepHeader(box)
    var end = box.content.lowerBound
    for inner in try rewriter.boxes(in: box.content) {
      try body(inner, &rewriter)
      end = inner.whole.upperBound
    }
    rewriter.zero(box.content.upperBound - end)
  }

  /// Keeps a header, but removes its times if all metadata is stripped.
  private static func keepTimed(
    _ box: BoxRewriter.Box, _ mode: StripMode, _ rewriter: inout BoxRewriter
  ) throws(DecoderError) {
    guard let version = rewriter.input.exactly(1, at: box.content.lowerBound)?.first, version <= 1 else {
      throw .undecodable("a header of the video is damaged")
    }
    // The times of creation and change follow version and flags, with 4 bytes each, or 8 in version 1.
    rewriter.keep(box, withZerosIn: mode == .all ? 4..<(version == 1 ? 20 : 12) : 0..<0)
  }

  /// Keeps a handler, but removes its name.
  private static func keepUnnamed(_ box: BoxRewriter.Box, _ rewriter: inout BoxRewriter) {
    rewriter.keep(box, withZerosIn: 24..<Int64.max / 2)
  }

  /// Requires that all data is in the file itself and that no reference contains a path.
  private static func checkReferences(_ box: BoxRewriter.Box, _ rewriter: BoxRewriter) throws(DecoderError) {
    for list in try rewriter.boxes(in: box.content) {
      guard list.type == "dref", list.content.count >= 8 else { throw .undecodable("the video refers to other files") }
      for entry in try rewriter.boxes(in: (list.content.lowerBound + 8)..<list.content.upperBound) {
        // An entry for the file itself has only version and flags.
        guard entry.content.count == 4, rewriter.input.exactly(4, at: entry.content.lowerBound) == [0, 0, 0, 1] else {
          throw .undecodable("the video refers to other files")
        }
      }
    }
  }
}
