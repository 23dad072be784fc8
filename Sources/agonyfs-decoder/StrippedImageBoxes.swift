internal import Media

/// Strips metadata from a HEIC or AVIF (ISO/IEC 23008-12; ISO/IEC 14496-12, 8.11). Pictures, their colours and their
/// orientation stay unchanged.
///
/// 1. Metadata items become zeros. So do boxes and properties that are not known to be needed, and data that no picture
///    refers to, such as the video of a motion photo.
/// 2. A file is refused if it has an item that is neither a known picture nor known metadata, a picture in a file
///    format with metadata, an unknown property that is marked essential, or metadata that shares bytes with a picture.
enum StrippedImageBoxes {
  private static let pictures: Set<String> = ["hvc1", "hev1", "av01", "avc1", "grid", "iovl", "iden", "tmap"]
  private static let metadata: Set<String> = ["Exif", packetType, "mime", "uri "]
  private static let inMeta: Set<String> = ["hdlr", "pitm", "iloc", "iinf", "iref", "dinf", "grpl"]
  private static let properties: Set<String> = [
    "hvcC", "av1C", "avcC", "jpgC", "ispe", "pixi", "colr", "irot", "imir", "clap", "pasp", "auxC", "rloc", "clli",
    "mdcv", "cclv", "amve", "a1op", "a1lx", "lsel", "lhvC", "oinf", "tols",
  ]
  private static let damage = DecoderError.undecodable("the boxes of the picture are damaged")
  private static let mostItems = 20_000
  private static let mostExifBytes = 1 << 20
  private static let mostPacketBytes = 128 << 10
  /// The type that `types` assigns to an XMP item.
  private static let packetType = "XMP"

  /// The location of an item's data.
  private struct Location {
    /// Whether the extents count from the content of the box `idat`.
    var isInside: Bool
    var extents: [Range<Int64>]
  }

  /// The recipe for the file without metadata.
  static func recipe(_ input: FileInput, _ mode: StripMode) throws(DecoderError) -> ContentRecipe {
    var rewriter = BoxRewriter(input)
    let top = try rewriter.boxes(in: 0..<input.size, isFile: true)
    guard !top.contains(where: { $0.type == "moov" || $0.type == "moof" }),
      top.count(where: { $0.type == "meta" }) == 1, let meta = top.first(where: { $0.type == "meta" }),
      meta.content.count >= 4
    else { throw .undecodable("the file has moving pictures, or no list of pictures") }
    // Version and flags take 4 bytes.
    let inner = try rewriter.boxes(in: (meta.content.lowerBound + 4)..<meta.content.upperBound)
    let inside = inner.first { $0.type == "idat" }
    let types = try types(inner, rewriter)
    var parts: [BoxRewriter.Part] = []
    var insideParts: [BoxRewriter.Part] = []
    var (shown, hidden): ([Range<Int64>], [Range<Int64>]) = ([], [])
    for (item, location) in try locations(inner, rewriter) {
      guard let type = types[item] else { throw damage }
      let base = location.isInside ? inside?.content.lowerBound ?? 0 : 0
      let extents = location.extents.map { ($0.lowerBound + base)..<($0.upperBound + base) }
      guard pictures.contains(type) || metadata.contains(type) else {
        throw .undecodable("the file has pictures of an unknown kind")
      }
      if pictures.contains(type) { shown += extents } else { hidden += extents }
      var own = pictures.contains(type) ? extents.map { BoxRewriter.Part(range: $0, bytes: nil) } : []
      if extents.count == 1, let part = type == "Exif" ? exif(extents[0], input, mode) : emptyPacket(type, extents[0]) {
        own.append(part)
      }
      if location.isInside { insideParts += own } else { parts += own }
    }
    if BoxRewriter.overlap(shown, hidden) { throw .undecodable("metadata of the file is within a picture") }
    let data = try BoxRewriter.distribute(parts, to: top.filter { $0.type == "mdat" })
    let insideData = try BoxRewriter.distribute(insideParts, to: inside.map { [$0] } ?? [])
    for box in BoxRewriter.withoutEnd(top, ["ftyp", "mdat", "meta"]) {
      switch box.type {
      case "ftyp": rewriter.keep(box.whole)
      case "mdat": rewriter.keep(box, only: data[box.whole.lowerBound] ?? [])
      case "meta":
        rewriter.keep(box.whole.lowerBound..<(box.content.lowerBound + 4))
        for box in inner {
          if box.type == "iprp" {
            try write(properties: box, to: &rewriter)
          } else if box.type == "idat", box.whole == inside?.whole {
            rewriter.keep(box, only: insideData[box.whole.lowerBound] ?? [])
          } else if inMeta.contains(box.type) {
            rewriter.keep(box.whole)
          } else {
            rewriter.blank(box)
          }
        }
      default: rewriter.blank(box)
      }
    }
    return rewriter.recipe
  }

  /// Items refer to properties by their position, so a removed property becomes a free box.
  private static func write(
    properties: BoxRewriter.Box, to rewriter: inout BoxRewriter
  ) throws(DecoderError) {
    rewriter.keepHeader(properties)
    let boxes = try rewriter.boxes(in: properties.content)
    var essential: Set<Int> = []
    for box in boxes where box.type == "ipma" { essential.formUnion(try Self.essential(box, rewriter)) }
    for box in boxes {
      switch box.type {
      case "ipma": rewriter.keep(box.whole)
      case "ipco":
        rewriter.keepHeader(box)
        for (index, property) in try rewriter.boxes(in: box.content).enumerated() {
          if Self.properties.contains(property.type) {
            rewriter.keep(property.whole)
          } else if essential.contains(index + 1) {
            throw .undecodable("the picture has a property of an unknown kind")
          } else {
            rewriter.blank(property)
          }
        }
      default: rewriter.blank(box)
      }
    }
  }

  /// The numbers of the properties that are marked essential (8.11.14 of 14496-12, 9.3 of 23008-12).
  private static func essential(_ box: BoxRewriter.Box, _ rewriter: BoxRewriter) throws(DecoderError) -> Set<Int> {
    var reader = BigEndianReader(try rewriter.content(box))
    let version = try reader.number(1)
    let isWide = try reader.number(3) & 1 == 1
    var found: Set<Int> = []
    for _ in 0..<(try reader.number(4)) {
      _ = try reader.number(version < 1 ? 2 : 4)
      for _ in 0..<(try reader.number(1)) {
        let word = try reader.number(isWide ? 2 : 1)
        let mark: UInt64 = isWide ? 0x8000 : 0x80
        if word & mark != 0 { found.insert(Int(word & (mark - 1))) }
      }
    }
    return found
  }

  /// The replacement for an EXIF item: the remaining fields, or an empty directory.
  private static func exif(_ range: Range<Int64>, _ input: FileInput, _ mode: StripMode) -> BoxRewriter.Part? {
    guard range.count >= 4 + 14, range.count <= mostExifBytes,
      let bytes = input.exactly(range.count, at: range.lowerBound)
    else { return nil }
    let skipped = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    var left: [UInt8]?
    // The property `irot` turns the picture, so EXIF's orientation is not needed.
    if mode == .location, skipped < bytes.count - 4 {
      left = StrippedExif.block(of: Array(bytes[(4 + skipped)...]), mode)
    }
    let empty: [UInt8] = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 0]
    let block = left.flatMap { $0.count + 4 <= range.count ? $0 : nil } ?? empty
    return BoxRewriter.Part(range: range, bytes: [0, 0, 0, 0] + block)
  }

  /// The replacement for an XMP item: an empty packet. Readers warn of zeros, because they are not a valid packet.
  private static func emptyPacket(_ type: String, _ range: Range<Int64>) -> BoxRewriter.Part? {
    let packet = Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>
      """.utf8)
    guard type == packetType, range.count >= packet.count, range.count <= mostPacketBytes else { return nil }
    return BoxRewriter.Part(range: range, bytes: packet + [UInt8](repeating: 0x20, count: range.count - packet.count))
  }

  // MARK: Lists

  /// The types of the items by number (8.11.6).
  private static func types(
    _ boxes: [BoxRewriter.Box], _ rewriter: BoxRewriter
  ) throws(DecoderError) -> [UInt32: String] {
    guard let list = boxes.first(where: { $0.type == "iinf" }), boxes.count(where: { $0.type == "iinf" }) == 1,
      let version = rewriter.input.exactly(1, at: list.content.lowerBound)?.first
    else { throw damage }
    let start = list.content.lowerBound + (version == 0 ? 6 : 8)
    guard start <= list.content.upperBound else { throw damage }
    var types: [UInt32: String] = [:]
    for entry in try rewriter.boxes(in: start..<list.content.upperBound) {
      guard entry.type == "infe" else { throw damage }
      var reader = BigEndianReader(try rewriter.content(entry))
      let version = try reader.number(1)
      _ = try reader.number(3)
      guard version == 2 || version == 3 else { throw .undecodable("the list of pictures is of an unknown kind") }
      let item = UInt32(try reader.number(version == 2 ? 2 : 4))
      _ = try reader.number(2)
      var type = String(decoding: try reader.bytes(4), as: Unicode.ASCII.self)
      if type == "mime" {
        let content = reader.contentType()
        if content == "application/rdf+xml" { type = packetType }
        if content.hasPrefix("image/") || content.hasPrefix("video/") { type = content }
      }
      guard types.updateValue(type, forKey: item) == nil else { throw damage }
    }
    return types
  }

  /// The locations of the items by number (8.11.3).
  private static func locations(
    _ boxes: [BoxRewriter.Box], _ rewriter: BoxRewriter
  ) throws(DecoderError) -> [UInt32: Location] {
    guard let list = boxes.first(where: { $0.type == "iloc" }), boxes.count(where: { $0.type == "iloc" }) == 1 else {
      throw damage
    }
    var reader = BigEndianReader(try rewriter.content(list))
    let version = try reader.number(1)
    _ = try reader.number(3)
    guard version <= 2 else { throw .undecodable("the list of pictures is of an unknown kind") }
    let widths = try reader.number(2)
    let (offsetWidth, lengthWidth) = (Int(widths >> 12), Int(widths >> 8 & 15))
    let (baseWidth, indexWidth) = (Int(widths >> 4 & 15), version == 0 ? 0 : Int(widths & 15))
    guard [offsetWidth, lengthWidth, baseWidth, indexWidth].allSatisfy({ [0, 4, 8].contains($0) }) else { throw damage }
    let count = Int(try reader.number(version < 2 ? 2 : 4))
    guard count <= mostItems else { throw damage }
    var locations: [UInt32: Location] = [:]
    for _ in 0..<count {
      let item = UInt32(try reader.number(version < 2 ? 2 : 4))
      let method = version == 0 ? 0 : try reader.number(2) & 15
      let reference = try reader.number(2)
      let base = try reader.number(baseWidth)
      guard method <= 1, reference == 0 else { throw .undecodable("data of the picture is elsewhere") }
      var extents: [Range<Int64>] = []
      for _ in 0..<(try reader.number(2)) {
        _ = try reader.number(indexWidth)
        let (offset, length) = (try reader.number(offsetWidth), try reader.number(lengthWidth))
        guard
          let start = Int64(exactly: base).flatMap({ base in
            Int64(exactly: offset).map { base.addingReportingOverflow($0) }
          }), !start.overflow, let length = Int64(exactly: length), length <= rewriter.input.size,
          start.partialValue <= rewriter.input.size - length
        else { throw damage }
        // A length of 0 means the whole file.
        guard length > 0 else { throw .undecodable("data of the picture has no end") }
        extents.append(start.partialValue..<(start.partialValue + length))
      }
      let location = Location(isInside: method == 1, extents: extents)
      guard locations.updateValue(location, forKey: item) == nil else { throw damage }
    }
    return locations
  }
}

private struct BigEndianReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func bytes(_ count: Int) throws(DecoderError) -> ArraySlice<UInt8> {
    guard rest.count >= count else { throw .undecodable("the boxes of the picture are damaged") }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// The content type of an item, which follows its name. XMP has "application/rdf+xml" (ISO 16684-1, 7.1).
  func contentType() -> String {
    String(decoding: rest.drop { $0 != 0 }.dropFirst().prefix { $0 != 0 }, as: UTF8.self).lowercased()
  }

  mutating func number(_ count: Int) throws(DecoderError) -> UInt64 {
    try bytes(count).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
