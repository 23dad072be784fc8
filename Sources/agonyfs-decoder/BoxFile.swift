/// The boxes of an ISO base media file (ISO/IEC 14496-12, 4.2). At most `mostBoxes` are visited.
struct BoxFile {
  /// A box without its header.
  struct Box {
    var type: String
    /// The offset of the content. In a `uuid` box, the content begins after the 16 bytes of the name.
    var start: Int64
    var end: Int64
  }

  /// The UUID of Adobe's box for XMP.
  static let xmpName: [UInt8] = [
    0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
  ]

  private static let mostBoxes = 256

  private let source: any ByteSource

  init(_ source: any ByteSource) { self.source = source }

  /// All top-level boxes and those inside boxes of the given types, in file order.
  func boxes(inside containers: Set<String>) -> [Box] {
    var result: [Box] = []
    walk(from: 0, to: source.size, containers, depth: 0, &result)
    return result
  }

  private func walk(from start: Int64, to end: Int64, _ containers: Set<String>, depth: Int, _ result: inout [Box]) {
    var at = start
    while at <= end - 8, result.count < Self.mostBoxes, let box = box(at: at, end: end) {
      result.append(box)
      if containers.contains(box.type), depth < 4 {
        // Canon's preview box has a count and a version before its boxes.
        let skipped: Int64 = source.exactly(4, at: box.start + 12) == Array("PRVW".utf8) ? 8 : 0
        walk(from: box.start + skipped, to: box.end, containers, depth: depth + 1, &result)
      }
      at = box.end
    }
  }

  private func box(at offset: Int64, end: Int64) -> Box? {
    guard let head = source.exactly(8, at: offset) else { return nil }
    var count = Int64(head[..<4].reduce(0) { $0 << 8 | UInt64($1) })
    let type = String(decoding: head[4...], as: UTF8.self)
    var header: Int64 = 8
    if count == 1 {
      guard let long = source.exactly(8, at: offset + 8) else { return nil }
      count = Int64(clamping: long.reduce(0) { $0 << 8 | UInt64($1) })
      header = 16
    } else if count == 0 {
      count = end - offset
    }
    if type == "uuid" { header += 16 }
    guard count >= header, count <= end - offset else { return nil }
    return Box(type: type, start: offset + header, end: offset + count)
  }
}
