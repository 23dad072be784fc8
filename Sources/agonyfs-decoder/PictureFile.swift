internal import CDecoder
internal import Catalog
internal import Media

/// A picture file, or a raw file with a preview.
struct PictureFile {
  private let input: FileInput
  let kind: MediaKind
  private let raw: RawFile?
  /// The bytes of the picture: the file, or the preview in a raw file.
  let range: InputRange
  /// Nil if libvips cannot decode the picture.
  private let header: Picture.Header?

  init(_ input: FileInput, _ kind: MediaKind, start: [UInt8]) throws(DecoderError) {
    self.input = input
    raw = Self.raw(input, kind, start)
    if let raw {
      guard let preview = raw.preview else { throw .undecodable("it is a raw file without a preview") }
      self.kind = .raw
      range = InputRange(input, start: preview.start, count: preview.count)
    } else {
      self.kind = kind
      range = InputRange(input)
    }
    header = try Picture.header(range)
  }

  /// A file that cannot be decoded. Its metadata may still be readable.
  init(undecodable input: FileInput, _ kind: MediaKind, start: [UInt8]) {
    self.input = input
    raw = Self.raw(input, kind, start)
    self.kind = raw == nil ? kind : .raw
    range = InputRange(input)
    header = nil
  }

  /// Nil if it is not a raw file.
  private static func raw(_ input: FileInput, _ kind: MediaKind, _ start: [UInt8]) -> RawFile? {
    switch (kind, start.first) {
    case (.raw, 0x46): RawFile(raf: input)
    case (.raw, 0x49), (.raw, 0x4d): RawFile(tiff: input, isCertain: true)
    case (.raw, _): RawFile(cr3: input)
    // CR2 has its signature after the TIFF header.
    case (.tiff, _): RawFile(tiff: input, isCertain: start.dropFirst(8).starts(with: Array("CR".utf8)))
    default: nil
    }
  }

  /// The orientation in EXIF. That of a raw file takes precedence over that of its preview.
  var orientation: Int { raw?.exif?.orientation ?? header?.orientation ?? 1 }

  /// The orientation for libvips; nil if libvips finds it in the picture.
  var turning: Int? { raw == nil ? nil : orientation }

  /// The size after turning; zero if it is unknown.
  var size: (width: Int, height: Int) {
    let stored = raw?.size ?? header.map { ($0.width, $0.height) } ?? (0, 0)
    return orientation > 4 ? (stored.height, stored.width) : stored
  }

  /// Waits until the daemon grants the memory to decode the picture, and if `whole`, to hold all its pixels.
  func admit(whole: Bool) {
    guard let header else { return }
    Channel.admit(memory: header.memory + (whole ? header.wholeMemory : 0))
  }

  /// The facts in the file, without the look, which needs the small derivative.
  var facts: FactList {
    var list = FactList()
    list.add(.kind(kind), from: .content)
    if size.width > 0 { list.add(.dimensions(width: size.width, height: size.height), from: .pixels) }
    let boxes = kind == .jpegXL ? BoxFile(input).boxes(inside: []) : []
    let readers = [raw?.exif, own(boxes), header.flatMap { ExifReader(block: $0.exif) }].compactMap(\.self)
    for exif in readers {
      for (table, source) in [(FieldTables.exif, FactSource.exif), (FieldTables.satellite, .satellite)] {
        list.add(table, from: source, exif.texts)
      }
    }
    for packet in [raw?.xmp, raw?.exif?.block(700), header?.xmp, packet(boxes)].compactMap(\.self) {
      guard let xmp = XMPReader(packet) else { continue }
      list.add(FieldTables.xmp, from: .xmp, xmp.find)
      list.add(motion(xmp.motion(size: input.size)).map(FactValue.motion), from: .xmp)
    }
    list.add(creation, from: .header)
    if kind == .jpeg { list.add(motion(SamsungTrailer(input)?.video).map(FactValue.motion), from: .content) }
    for block in [raw?.exif?.block(33723), header?.iptc].compactMap(\.self) {
      list.add(FieldTables.iptc, from: .iptc, DatasetReader(block).find)
    }
    return list
  }

  /// The EXIF that libvips does not read: that of TIFF, which is itself EXIF, of JPEG XL, and of JPEGs that are cut
  /// before the picture. Such JPEGs have EXIF in their first segment.
  private func own(_ boxes: [BoxFile.Box]) -> ExifReader? {
    if kind == .tiff { return TIFFFile(input).flatMap { ExifReader($0) } }
    if kind == .jpeg, header == nil, let segment = input.exactly(10, at: 2), segment.starts(with: [0xFF, 0xE1]),
      segment.dropFirst(4).elementsEqual("Exif\0\0".utf8)
    {
      return TIFFFile(input, base: 12).flatMap { ExifReader($0) }
    }
    guard let box = boxes.first(where: { $0.type == "Exif" }), let skipped = input.exactly(4, at: box.start) else {
      return nil
    }
    let start = box.start + 4 + skipped.reduce(0) { $0 << 8 | Int64($1) }
    return TIFFFile(input, base: start).flatMap { ExifReader($0) }
  }

  /// The time in a PNG's text `Creation Time`. If the text states UTC, the local time zone is unknown.
  private var creation: FactValue? {
    guard kind == .png else { return nil }
    let value = FactValue(.taken, PNGText.values(of: "Creation Time", in: input))
    guard case .time(.wall(let wall, offset: 0?)) = value else { return value }
    return .time(.universal(wall))
  }

  private func packet(_ boxes: [BoxFile.Box]) -> [UInt8]? {
    boxes.first { $0.type == "xml " }.flatMap { $0.content(input) }
  }

  /// The range of a motion photo's video, if a video begins there.
  private func motion(_ range: Range<Int64>?) -> Range<UInt64>? {
    guard let range, range.lowerBound > 0,
      input.exactly(4, at: range.lowerBound + 4) == Array("ftyp".utf8)
    else { return nil }
    return UInt64(range.lowerBound)..<UInt64(range.upperBound)
  }
}

extension BoxFile.Box {
  /// The content; nil if it is too long for an XMP packet.
  func content(_ source: any ByteSource) -> [UInt8]? {
    end - start <= Int64(XMPReader.mostBytes) ? source.exactly(Int(end - start), at: start) : nil
  }
}
