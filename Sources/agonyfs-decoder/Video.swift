internal import CDecoder
internal import Catalog
internal import Glibc
internal import Media

/// Reads a video with libav; also a BMP, for which libvips would need ImageMagick.
struct Video {
  /// The maximum number of pixels of a frame.
  private static let mostPixels: Int64 = 16384 * 8640

  /// The maximum number of pixels of a full-size picture. All of them are in memory at once.
  private static let mostFullPixels: Int64 = 120_000_000

  private let input: FileInput
  private let kind: MediaKind

  /// Decodes nothing yet.
  init(_ input: FileInput, _ kind: MediaKind) {
    self.input = input
    self.kind = kind
  }

  /// The result of a read.
  struct Outcome {
    var facts: FactList
    var size: (width: Int, height: Int)
    var orientation: Int
  }

  func facts() throws(DecoderError) -> FactList {
    var video = unsafe agonyfs_video()
    return try unsafe read(side: 0, &video).facts
  }

  /// Reads the facts and makes derivatives of a frame near the start that is neither dark nor uniform.
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

  /// Makes a JPEG of full size, or with at most `side` pixels on the longer side.
  func full(side: Int?) throws(DecoderError) -> [UInt8] {
    var video = unsafe agonyfs_video()
    defer { unsafe free(video.pixels) }
    _ = try unsafe read(side: side ?? Int(Int32.max), most: Self.mostFullPixels, &video)
    return try unsafe Picture.full(pixels: video.pixels, Int(video.pixel_width), Int(video.pixel_height))
  }

  private func read(
    side: Int, most: Int64 = mostPixels, _ video: inout agonyfs_video
  ) throws(DecoderError) -> Outcome {
    var result = unsafe agonyfs_outcome()
    let texts = unsafe MetadataTexts { taker in
      unsafe result = range.withInput {
        unsafe agonyfs_video_read(
          $0, container, Int32(side), most, taker, { Channel.admit(memory: $0) }, &video)
      }
    }
    try unsafe Picture.check(result)
    let size = unsafe (Int(video.width), Int(video.height))
    let (rate, duration, projection) = unsafe (video.frame_rate, video.duration, video.projection)
    let codec = unsafe withUnsafeBytes(of: video.codec) { unsafe Array($0.prefix { $0 != 0 }) }
    var list = FactList()
    list.add(.kind(kind), from: .content)
    guard kind.isVideo else {
      list.add(.dimensions(width: size.0, height: size.1), from: .pixels)
      return Outcome(facts: list, size: size, orientation: 1)
    }
    list.add(.dimensions(width: size.0, height: size.1), from: .header)
    list.add(.duration((duration * 1e6).rounded() / 1e6), from: .header)
    list.add(.codec(MetadataTexts.text(codec)), from: .header)
    list.add(.frameRate((rate * 1000).rounded() / 1000), from: .header)
    list.add(projection == 1 ? .projection(.equirectangular) : nil, from: .header)
    list.add(projection == 2 ? .projection(.cubemap) : nil, from: .header)
    let boxes = container == "mov" ? BoxFile(input).boxes(inside: ["moov", "udta"]) : []
    var byName = texts.byName
    for box in boxes where box.type == "Xtra" {
      byName.merge(box.content(input).map(WindowsAttributes.numbers) ?? [:]) { known, _ in known }
    }
    for (table, source) in [(FieldTables.quickTime, FactSource.quickTime), (FieldTables.header, .header)] {
      // Names are in capitals in Matroska.
      list.add(table, from: source) { byName[$0] ?? byName[$0.uppercased()] ?? [] }
    }
    if let xmp = packet(boxes).flatMap({ XMPReader($0) }) {
      list.add(FieldTables.xmp, from: .xmp, xmp.find)
    }
    return unsafe Outcome(facts: list, size: size, orientation: Int(video.orientation))
  }

  /// The XMP packet: in Adobe's `uuid` box, or in `XMP_` in the user data.
  private func packet(_ boxes: [BoxFile.Box]) -> [UInt8]? {
    let box = boxes.first { box in
      box.type == "XMP_" || box.type == "uuid" && input.exactly(16, at: box.start - 16) == BoxFile.xmpName
    }
    return box.flatMap { $0.content(input) }
  }

  /// The bytes that libav reads. A BMP is limited to the size in its header, with room for any packing, because libav
  /// would otherwise read to the end of the file.
  private var range: InputRange {
    guard kind == .bitmap, let head = input.exactly(30, at: 0) else { return InputRange(input) }
    func number(_ place: Int, bytes: Int) -> Int64 { Int64(head.number(bytes, at: place)) }
    let isOld = head[14] == 12
    let width = isOld ? number(18, bytes: 2) : number(18, bytes: 4)
    // A negative height means that the top row comes first.
    let height = isOld ? number(20, bytes: 2) : abs(Int64(Int32(truncatingIfNeeded: number(22, bytes: 4))))
    let row = (width * number(isOld ? 24 : 28, bytes: 2) + 31) / 32 * 4
    let (pixels, isVast) = row.multipliedReportingOverflow(by: 2 * height)
    return InputRange(input, count: isVast ? .max : number(10, bytes: 4) + min(pixels, 1 << 40) + 1024)
  }

  /// The name of libav's demuxer.
  private var container: String {
    switch kind {
    case .matroska, .webM: "matroska"
    case .avi: "avi"
    case .transportStream: "mpegts"
    case .programStream: "mpeg"
    case .asf: "asf"
    case .flash: "flv"
    case .ogg: "ogg"
    case .bitmap: "bmp_pipe"
    default: "mov"
    }
  }
}
