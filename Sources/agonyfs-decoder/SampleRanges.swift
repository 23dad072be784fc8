internal import Media

/// Finds the data of a track in its sample tables (ISO/IEC 14496-12, 8.7; QuickTime File Format, sample atoms).
struct SampleRanges {
  private static let mostSamples = 50_000_000
  /// Sound formats with samples of a fixed size. QuickTime's tables state a size of 1 for them, whatever the real size.
  private static let plainSound: Set<String> = [
    "raw ", "NONE", "sowt", "twos", "in24", "in32", "fl32", "fl64", "lpcm", "ulaw", "alaw",
  ]
  private static let damage = DecoderError.undecodable("the tables of the video are damaged")

  /// The sizes of the samples in bytes: equal for all, or a table.
  private enum Sizes {
    case fixed(Int64, count: Int)
    case table([UInt8], bytes: Int)
  }

  /// The ranges of a track's chunks, in the order of the table.
  static func of(_ track: BoxRewriter.Box, _ rewriter: BoxRewriter) throws(DecoderError) -> [Range<Int64>] {
    var tables: [String: BoxRewriter.Box] = [:]
    var level = track
    for type in ["mdia", "minf", "stbl"] {
      guard let inner = try rewriter.boxes(in: level.content).first(where: { $0.type == type }) else { throw damage }
      level = inner
    }
    for box in try rewriter.boxes(in: level.content) where tables[box.type] == nil { tables[box.type] = box }
    func table(_ type: String) throws(DecoderError) -> [UInt8]? {
      guard let box = tables[type] else { return nil }
      return try rewriter.content(box)
    }
    guard let description = try table("stsd"), let runs = try table("stsc") else { throw damage }
    let sizes: Sizes
    if let bytes = try table("stsz") {
      sizes = try self.sizes(bytes, description)
    } else if let bytes = try table("stz2") {
      guard bytes.count >= 12, [8, 16].contains(bytes[7]) else { throw damage }
      let width = Int(bytes[7]) / 8
      let count = number(bytes, at: 8)
      guard (bytes.count - 12) / width >= count else { throw damage }
      sizes = .table(Array(bytes[12..<(12 + count * width)]), bytes: width)
    } else {
      throw damage
    }
    for (type, width) in [("stco", 4), ("co64", 8)] {
      if let bytes = try table(type) { return try ranges(offsets(bytes, width: width), runs, sizes) }
    }
    throw damage
  }

  private static func ranges(
    _ offsets: [Int64], _ runs: [UInt8], _ sizes: Sizes
  ) throws(DecoderError) -> [Range<Int64>] {
    guard runs.count >= 8 else { throw damage }
    let count = number(runs, at: 4)
    guard (runs.count - 8) / 12 >= count else { throw damage }
    var result: [Range<Int64>] = []
    result.reserveCapacity(offsets.count)
    var sample = 0
    var run = 0
    var perChunk = 0
    for (index, offset) in offsets.enumerated() {
      // Chunks count from 1.
      while run < count, number(runs, at: 8 + run * 12) <= index + 1 {
        perChunk = number(runs, at: 8 + run * 12 + 4)
        run += 1
      }
      guard perChunk > 0, perChunk <= mostSamples else { throw damage }
      let bytes = try self.bytes(sizes, sample, perChunk)
      sample += perChunk
      let (end, overflows) = offset.addingReportingOverflow(bytes)
      guard offset >= 0, !overflows else { throw damage }
      result.append(offset..<end)
    }
    return result
  }

  /// The total size in bytes of `count` consecutive samples.
  private static func bytes(_ sizes: Sizes, _ first: Int, _ count: Int) throws(DecoderError) -> Int64 {
    switch sizes {
    case .fixed(let size, let all):
      guard first + count <= all else { throw damage }
      return size * Int64(count)
    case .table(let table, let width):
      guard first + count <= table.count / width else { throw damage }
      var sum: Int64 = 0
      for sample in first..<(first + count) {
        var size: Int64 = 0
        for place in 0..<width { size = size << 8 | Int64(table[sample * width + place]) }
        sum += size
      }
      return sum
    }
  }

  private static func sizes(_ bytes: [UInt8], _ description: [UInt8]) throws(DecoderError) -> Sizes {
    guard bytes.count >= 12 else { throw damage }
    let (size, count) = (Int64(number(bytes, at: 4)), number(bytes, at: 8))
    guard count <= mostSamples else { throw damage }
    if size == 0 {
      guard (bytes.count - 12) / 4 >= count else { throw damage }
      return .table(Array(bytes[12..<(12 + count * 4)]), bytes: 4)
    }
    guard description.count >= 16 else { throw damage }
    let format = String(decoding: description[12..<16], as: Unicode.ASCII.self)
    guard size == 1 || plainSound.contains(format) else { return .fixed(size, count: count) }
    // QuickTime File Format, sound sample description: version at 24, channels at 32, bits at 34.
    guard plainSound.contains(format), description.count >= 44 else {
      throw .undecodable("the compression of its sound is unknown")
    }
    let version = Int(description[24]) << 8 | Int(description[25])
    var frame: Int64
    if version == 2 {
      // Version 2 states the bytes of a packet.
      guard description.count >= 80 else { throw damage }
      frame = Int64(number(description, at: 72))
    } else {
      let channels = Int64(description[32]) << 8 | Int64(description[33])
      let bits = Int64(description[34]) << 8 | Int64(description[35])
      let known: [String: Int64] = [
        "in24": 3, "in32": 4, "fl32": 4, "fl64": 8, "ulaw": 1, "alaw": 1,
      ]
      frame = channels * (known[format] ?? (bits + 7) / 8)
    }
    guard (1...4096).contains(frame) else { throw damage }
    return .fixed(max(size, frame), count: count)
  }

  private static func offsets(_ bytes: [UInt8], width: Int) throws(DecoderError) -> [Int64] {
    guard bytes.count >= 8 else { throw damage }
    let count = number(bytes, at: 4)
    guard (bytes.count - 8) / width >= count else { throw damage }
    return (0..<count).map { index in
      bytes[(8 + index * width)..<(8 + (index + 1) * width)].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }
  }

  /// A big-endian number of four bytes. The caller checks that they exist.
  private static func number(_ bytes: [UInt8], at offset: Int) -> Int {
    Int(bytes[offset]) << 24 | Int(bytes[offset + 1]) << 16 | Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
  }
}
