import AlbumsSupport
import FaultyStorage
import System
import TestSupport
import Testing

@testable import Albums

/// A window of which many small parts are written, against an array of its bytes.
@Suite struct ChunkTests {
  private let pool = BufferPool(Chunk.blockSizes)

  private func random(_ longest: Int, near last: Int, _ generator: inout SeededGenerator) -> Range<Int> {
    let length = Int.random(in: 1...longest, using: &generator)
    let start =
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: last + Int.random(in: -9000...9000, using: &generator)
      case 1: Int.random(in: 0..<256, using: &generator) << 12 + Int.random(in: -2...2, using: &generator)
      case 2: Int.random(in: 0..<16, using: &generator) << 16 + Int.random(in: -4096...4096, using: &generator)
      default: Int.random(in: 0..<WriteWindow.size, using: &generator)
      }
    let clamped = min(max(0, start), WriteWindow.size - 1)
    return clamped..<min(WriteWindow.size, clamped + length)
  }

  private func write(_ chunk: Chunk, _ range: Range<Int>, _ seed: Int) -> [UInt8] {
    let bytes = Array(pattern(range.count, seed)[..<range.count])
    unsafe bytes.withUnsafeBytes { unsafe chunk.write(range, from: $0, pool: pool) }
    return bytes
  }

  private func expect(_ chunk: Chunk, holds content: [UInt8], at ranges: RangeList) {
    #expect(chunk.ranges == ranges)
    var blocks = RangeList()
    let size = Chunk.blockSize
    for range in ranges.ranges {
      #expect(unsafe isSame(Array(chunk.bytes(range)), Array(content[range])))
      blocks.insert(range.lowerBound / size * size..<(range.upperBound + size - 1) / size * size)
    }
    #expect(chunk.capacity >= blocks.count && chunk.capacity <= WriteWindow.size)
    // Blocks that touch are in one piece of memory, so that what lies between what was written can be read there.
    for run in blocks.ranges {
      let memory = unsafe chunk.bytes(run)
      #expect(memory.count == run.count)
      for range in ranges.parts(in: run) {
        let part = unsafe memory[range.lowerBound - run.lowerBound..<range.upperBound - run.lowerBound]
        #expect(unsafe isSame(Array(part), Array(content[range])))
      }
    }
  }

  @Test(arguments: TestLength.seedArguments(8)) func agreesWithAnArray(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for longest in [1, 300, 6000, 20_000] {
      let chunk = Chunk(window: 3, owner: nil)
      var content = [UInt8](repeating: 0, count: WriteWindow.size)
      var ranges = RangeList()
      var last = 0
      for step in 1...150 {
        let range = random(longest, near: last, &generator)
        last = range.lowerBound
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<17:
          content.replaceSubrange(range, with: write(chunk, range, step))
          ranges.insert(range)
        case 17, 18:
          let hole = random(10 * longest, near: last, &generator)
          chunk.remove(hole)
          ranges.remove(hole)
        default:
          let older = Chunk(window: 3, owner: nil)
          for number in 0..<10 {
            let range = random(longest, near: last, &generator)
            let bytes = write(older, range, 1000 * step + number)
            // Later writes into the older one win over its earlier ones, but never over what is here.
            for gap in ranges.gaps(in: range) {
              content.replaceSubrange(
                gap, with: bytes[gap.lowerBound - range.lowerBound..<gap.upperBound - range.lowerBound])
            }
          }
          chunk.addOlder(older, pool: pool)
          for range in older.ranges.ranges { ranges.insert(range) }
        }
        if step % 5 == 0 { expect(chunk, holds: content, at: ranges) }
      }
    }
  }
}
