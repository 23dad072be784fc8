import FaultyStorage

/// Bytes as somebody writes them who knows the format and means ill.
struct Mutation {
  /// Where numbers change their sign, leave their range, or lead to others that do.
  static let edges: [UInt64] = [
    0, 1, 2, 63, 64, 255, 1 << 16, 1 << 26, 1 << 31 - 1, 1 << 31, 1 << 32 - 1, 1 << 32, 1 << 37, 1 << 38 - 1, 1 << 38,
    1 << 62, 1 << 63 - 1, 1 << 63, .max - 1, .max,
  ]

  var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
  mutating func edge() -> UInt64 { Self.edges[below(Self.edges.count)] }

  /// The same number of bytes, of which some are others.
  mutating func changed(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.isEmpty { return bytes }
    var bytes = bytes
    for _ in 0...below(3) {
      // Fields are aligned to 4 bytes, but for a few.
      let place = below(8) == 0 ? below(bytes.count) : below((bytes.count + 3) / 4) * 4
      switch below(5) {
      case 0, 1: write(edge(), below(2) == 0 ? 4 : 8, at: place, in: &bytes)
      case 2: bytes[place] ^= 1 << UInt8(below(8))
      case 3: write(generator.next(), below(2) == 0 ? 4 : 8, at: place, in: &bytes)
      default:
        let other = below((bytes.count + 3) / 4) * 4
        for step in 0..<min(8, bytes.count - max(place, other)) { bytes.swapAt(place + step, other + step) }
      }
    }
    return bytes
  }

  /// Other bytes, perhaps more or fewer.
  mutating func resized(_ bytes: [UInt8]) -> [UInt8] {
    switch below(6) {
    case 0: return Array(bytes[..<below(bytes.count + 1)])
    case 1: return bytes + generator.bytes(below(64))
    case 2:
      let cut = below(bytes.count + 1)
      return Array(bytes[..<cut]) + changed(Array(bytes[cut...]))
    default: return changed(bytes)
    }
  }

  func write(_ value: UInt64, _ count: Int, at place: Int, in bytes: inout [UInt8]) {
    for step in 0..<count where place + step < bytes.count {
      bytes[place + step] = UInt8(truncatingIfNeeded: value >> UInt64(8 * step))
    }
  }
}
