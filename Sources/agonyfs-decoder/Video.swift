internal import CDecoder
internal import Catalog
internal import Glibc
internal import Media

/// A video, as libav sees it.
struct Video {
  /// Pixels of a frame, at most: 16384 × 8640.
  private static let mostPixels: Int64 = 16384 * 8640

  private let input: FileInput
  private let kind: MediaKind

  /// Reads a video; of its frames none is decoded yet.
  init(_ input: FileInput, _ kind: MediaKind) {
    self.input = input
    self.kind = kind
  }

  /// What came of reading it.
  struct Outcome {
    var facts: FactList
    var size: (width: Int, height: Int)
    var orientation: Int
  }

  /// Reads its facts.
  func facts() throws(DecoderError) -> FactList {
    var video = unsafe agonyfs_video()
    return try unsafe read(side: 0, &video).facts
  }

  /// Reads its facts and makes derivatives of a frame near its start that is neither dark nor of one shade.
  func derive(_ sizes: Set<DerivativeSize>) throws(DecoderError) -> (made: Derivatives, facts: FactList) {
    var video = unsafe agonyfs_video()
    let side = (sizes.max { $0.longerSide < $1.longerSide } ?? .small).longerSide
    defer { unsafe free(video.pixels) }
    let outcome = try unsafe read(side: side, &video)
    let (width, height) = outcome.size
    let facts = MediaFacts(kind: kind, width: width, height: height, orientation: outcome.orientation)
    let made = try unsafe Picture.derivatives(sizes, facts) { made in
      unsafe agonyfs_pixels_derive(video.pixels, video.pixel_width, video.pixel_height, video.orientation, made)
    }
    return (made, outcome.facts)
  }

  private func read(side: Int, _ video: inout agonyfs_video) throws(DecoderError) -> Outcome {
    var result = unsafe agonyfs_outcome()
    let texts = unsafe MetadataTexts { taker in
      unsafe result = InputRange(input).withInput {
        unsafe agonyfs_video_read($0, container, Int32(side), Self.mostPixels, taker, &video)
      }
    }
    try unsafe Picture.check(result)
    let size = unsafe (Int(video.width), Int(video.height))
    let (rate, duration, projection) = unsafe (video.frame_rate, video.duration, video.projection)
    let codec = unsafe withUnsafeBytes(of: video.codec) { unsafe Array($0.prefix { $0 != 0 }) }
    var list = FactList()
    list.add(.kind(kind), from: .content)
    list.add(.dimensions(width: size.0, height: size.1), from: .header)
    list.add(.duration((duration * 1e6).rounded() / 1e6), from: .header)
    list.add(.codec(MetadataTexts.text(codec)), from: .header)
    list.add(.frameRate((rate * 1000).rounded() / 1000), from: .header)
    list.add(projection == 1 ? .projection(.equirectangular) : nil, from: .header)
    list.add(projection == 2 ? .projection(.cubemap) : nil, from: .header)
    let byName = texts.byName
    for (table, source) in [(FieldTables.quickTime, FactSource.quickTime), (FieldTables.header, .header)] {
      var gatherer = FactGatherer()
      // Matroska writes its names in capitals.
      gatherer.take(table) { byName[$0] ?? byName[$0.uppercased()] ?? [] }
      gatherer.add(to: &list, from: source)
    }
    if let xmp = packet.flatMap({ XMPReader($0) }) {
      var gatherer = FactGatherer()
      gatherer.take(FieldTables.xmp, xmp.find)
      gatherer.add(to: &list, from: .xmp)
    }
    return unsafe Outcome(facts: list, size: size, orientation: Int(video.orientation))
  }

  /// XMP has a box of Adobe's own, or one in the user's data.
  private var packet: [UInt8]? {
    guard container == "mov" else { return nil }
    let box = BoxFile(input).boxes(inside: ["moov", "udta"]).first { box in
      box.type == "XMP_" || box.type == "uuid" && input.exactly(16, at: box.start - 16) == BoxFile.xmpName
    }
    return box.flatMap { $0.content(input) }
  }

  /// The name of the container's reader.
  private var container: String {
    switch kind {
    case .matroska, .webM: "matroska"
    case .avi: "avi"
    case .transportStream: "mpegts"
    case .programStream: "mpeg"
    case .asf: "asf"
    case .flash: "flv"
    case .ogg: "ogg"
    default: "mov"
    }
  }
}
