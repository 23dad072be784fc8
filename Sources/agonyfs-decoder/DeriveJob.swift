internal import Media

/// A job that makes derivatives.
struct DeriveJob {
  private let request: DeriveRequest
  private let input: FileInput

  init(_ request: DeriveRequest) {
    self.request = request
    input = FileInput(size: request.fileSize)
  }

  /// Runs the job.
  func run() throws(DecoderError) -> Derivatives {
    guard let start = input.bytes(at: 0, count: Signature.bytes), let kind = Signature.kind(of: start) else {
      throw .notMedia
    }
    var made: Derivatives
    if kind.isVideo {
      made = try Video.derive(input, kind: kind, sizes(kind))
    } else if let raw = raw(kind, start) {
      made = try preview(of: raw)
    } else {
      made = try picture(kind)
    }
    // The daemon treats impossible facts as an attack.
    if !made.facts.isPossible {
      let facts = made.facts
      made.facts = MediaFacts(
        kind: facts.kind, width: facts.width, height: facts.height, orientation: facts.orientation)
    }
    return made
  }

  /// The sizes to make now.
  private func sizes(_ kind: MediaKind) -> Set<DerivativeSize> {
    request.eagerly && kind.isLazy ? request.sizes.subtracting([.large]) : request.sizes
  }

  private func picture(_ kind: MediaKind) throws(DecoderError) -> Derivatives {
    let range = InputRange(input)
    let header = try Picture.header(range)
    var facts = Self.facts(kind, header.width, header.height, header.orientation)
    exif(kind, header)?.fill(&facts)
    return try Picture.derive(range, orientation: nil, sizes(kind), facts)
  }

  /// A TIFF is EXIF itself. libvips passes on the EXIF of the other formats, except JPEG XL.
  private func exif(_ kind: MediaKind, _ header: Picture.Header) -> ExifFacts? {
    switch kind {
    case .tiff: return TIFFFile(input).flatMap { ExifFacts($0) }
    case .jpegXL:
      guard let box = BoxFile(input).boxes(inside: []).first(where: { $0.type == "Exif" }),
        let skipped = input.exactly(4, at: box.start)
      else { return nil }
      let start = box.start + 4 + skipped.reduce(0) { $0 << 8 | Int64($1) }
      return TIFFFile(input, base: start).flatMap { ExifFacts($0) }
    default: return ExifFacts(block: header.exif)
    }
  }

  /// Nil if it is not a raw file.
  private func raw(_ kind: MediaKind, _ start: [UInt8]) -> RawFile? {
    switch (kind, start.first) {
    case (.raw, 0x46): RawFile(raf: input)
    case (.raw, 0x49), (.raw, 0x4d): RawFile(tiff: input, isCertain: true)
    case (.raw, _): RawFile(cr3: input)
    // CR2 has its mark after the header.
    case (.tiff, _): RawFile(tiff: input, isCertain: start.dropFirst(8).starts(with: Array("CR".utf8)))
    default: nil
    }
  }

  private func preview(of raw: RawFile) throws(DecoderError) -> Derivatives {
    guard let preview = raw.preview else { throw .undecodable("a raw file without a preview") }
    let range = InputRange(input, start: preview.start, count: preview.count)
    let header = try Picture.header(range)
    let orientation = raw.exif?.orientation ?? header.orientation
    let size = raw.size ?? (header.width, header.height)
    var facts = Self.facts(.raw, size.width, size.height, orientation)
    raw.exif?.fill(&facts)
    ExifFacts(block: header.exif)?.fill(&facts)
    return try Picture.derive(range, orientation: orientation, sizes(.raw), facts)
  }

  private static func facts(_ kind: MediaKind, _ width: Int, _ height: Int, _ orientation: Int) -> MediaFacts {
    let isTurned = orientation > 4
    return MediaFacts(
      kind: kind, width: isTurned ? height : width, height: isTurned ? width : height, orientation: orientation)
  }
}
