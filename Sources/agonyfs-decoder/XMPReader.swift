internal import CDecoder
internal import Catalog

/// Reads XMP with libexempi.
struct XMPReader {
  /// The maximum size of a packet. Longer packets contain embedded pictures.
  static let mostBytes = 1 << 20

  private let texts: MetadataTexts
  private let byName: [String: [String]]

  /// Nil if the packet is not XMP or is too long.
  init?(_ packet: [UInt8]) {
    // Some programs pad a packet with zeros.
    let packet = Array(packet.prefix(Self.mostBytes + 1).reversed().drop { $0 == 0 }.reversed())
    guard !packet.isEmpty, packet.count <= Self.mostBytes else { return nil }
    var isXMP = false
    let texts = unsafe MetadataTexts { taker in isXMP = unsafe agonyfs_xmp_read(packet, packet.count, taker) != 0 }
    guard isXMP else { return nil }
    self.texts = texts
    byName = texts.byName
  }

  private static let regions = "mwg-rs:Regions/mwg-rs:RegionList[]/mwg-rs:Name"

  func find(_ name: String) -> [String] {
    name == Self.regions ? faces : byName[name] ?? []
  }

  /// The names of faces and pets. Other regions are focus points and bar codes.
  private var faces: [String] {
    let values = Dictionary(texts.list.map { ($0.key, $0.value) }) { first, _ in first }
    let end = Array("/mwg-rs:Name".utf8)
    return texts.list.compactMap { key, value in
      guard key.starts(with: Array("mwg-rs:Regions/".utf8)), key.suffix(end.count) == end[...] else { return nil }
      let type = values[key.dropLast(end.count) + Array("/mwg-rs:Type".utf8)]
      guard type == nil || type == Array("Face".utf8) || type == Array("Pet".utf8) else { return nil }
      return MetadataTexts.text(value)
    }
  }

  /// The range in which a motion photo's video may be, in a file of `size` bytes. The items of a `Container` end at the
  /// end of the file. Older files only state the number of bytes from the end.
  func motion(size: Int64) -> Range<Int64>? {
    let prefix = "Container:Directory[]/Container:Item/Item:"
    let mimes = byName[prefix + "Mime"] ?? []
    var items: [Int: (semantic: String, length: Int64)] = [:]
    for (key, value) in texts.list {
      let path = String(decoding: key, as: UTF8.self)
      guard path.hasPrefix("Container:Directory["), let number = Int(path.dropFirst(20).prefix { $0 != "]" }) else {
        continue
      }
      var item = items[number] ?? ("", 0)
      let text = MetadataTexts.text(value)
      if path.hasSuffix("/Item:Semantic") { item.semantic = text }
      if path.hasSuffix("/Item:Length") { item.length = Int64(text) ?? 0 }
      items[number] = item
    }
    var end = size
    for number in items.keys.sorted(by: >) {
      guard mimes.count < 1000, let item = items[number], item.length > 0, item.length <= end else { break }
      if item.semantic == "MotionPhoto" { return (end - item.length)..<end }
      end -= item.length
    }
    guard let text = byName["GCamera:MicroVideoOffset"]?.first, let count = Int64(text), count > 0, count < size else {
      return nil
    }
    return (size - count)..<size
  }
}
